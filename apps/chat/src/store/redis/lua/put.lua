#!lua
-- Stores what a turn takes in and sends, and renews its lease; may save its conversation, or end it.
-- { 0, 0 } if the turn is another server's; else 1, and whether its end was asked for.
-- KEYS: turn, inputs, events, conversation.
-- ARGV: token, owners, milliseconds of the lease, how many inputs there were, the conversation or '', 1 to end the turn, the
-- number of new inputs; the inputs; ids and events by turns. What is there already was stored by a first attempt whose answer
-- the server did not receive.
local turn, inputs, events, conversation = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local mark, had, is_end, new = ARGV[1] .. '/' .. ARGV[2], tonumber(ARGV[4]), ARGV[6] == '1', tonumber(ARGV[7])
local state = redis.call('HMGET', turn, 'token', 'owners', 'stop')
if not state[1] or state[1] .. '/' .. state[2] ~= mark then
  -- Perhaps it has ended, and the server did not receive the answer.
  return { is_end and redis.call('HGET', conversation, 'ended') == mark and 1 or 0, 0 }
end
local stored, newest = redis.call('XLEN', inputs), redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)[1]
newest = newest and tonumber(string.match(newest[1], '^%d+')) or 0
if stored < had or tonumber(ARGV[8 + new] or 0) > newest + 1 then
  return { 0, 0 } -- Redis has lost the end of the turn: a server that takes it over begins with what is left.
end
for i = stored - had + 1, new do
  redis.call('XADD', inputs, had + i .. '-0', 'input', ARGV[7 + i])
end
for i = 8 + new, #ARGV, 2 do
  if tonumber(ARGV[i]) > newest then
    redis.call('XADD', events, ARGV[i] .. '-0', 'event', ARGV[i + 1])
  end
end
if ARGV[5] ~= '' then
  redis.call('HSET', conversation, 'json', ARGV[5])
end
if is_end then
  redis.call('HSET', conversation, 'ended', mark)
  redis.call('DEL', turn, inputs)
  return { 1, 0 }
end
local time = redis.call('TIME')
redis.call('HSET', turn, 'lease', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[3])
return { 1, state[3] and 1 or 0 }
