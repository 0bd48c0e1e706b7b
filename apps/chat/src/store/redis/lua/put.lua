#!lua
-- Stores what a turn takes in and sends, and renews its lease; with messages, saves a step or ends the turn.
-- { 0, 0 } if the turn is another server's; else 1, and whether its end was asked for.
-- KEYS: turn, inputs, events, messages, conversation.
-- ARGV: token, owners, milliseconds of the lease, how many inputs there were, assistant or '', context or '', session or
-- '', 1 to end the turn, the numbers of new inputs, events and messages; the inputs; ids and events by turns; the messages.
local turn, inputs, events, messages, conversation = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local mark, had, is_end = ARGV[1] .. '/' .. ARGV[2], tonumber(ARGV[4]), ARGV[8] == '1'
local state = redis.call('HMGET', turn, 'token', 'owners', 'stop')
if not state[1] or state[1] .. '/' .. state[2] ~= ARGV[1] .. '/' .. ARGV[2] then
  -- Perhaps it has ended, and the server did not receive the answer.
  return { is_end and redis.call('HGET', conversation, 'ended') == mark and 1 or 0, 0 }
end
local at = 12
local new, told = tonumber(ARGV[9]), tonumber(ARGV[10])
local is_new = new == 0 or redis.call('XLEN', inputs) == had -- Else the server did not receive the answer.
for i = 1, new do
  if is_new then
    redis.call('XADD', inputs, had + i .. '-0', 'input', ARGV[at])
  end
  at = at + 1
end
if told > 0 then
  local newest = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)[1]
  newest = newest and tonumber(string.match(newest[1], '^%d+')) or 0
  for _ = 1, told do
    if tonumber(ARGV[at]) > newest then
      redis.call('XADD', events, ARGV[at] .. '-0', 'event', ARGV[at + 1])
    end
    at = at + 2
  end
end
if is_new and ARGV[5] ~= '' then
  redis.call('HSETNX', conversation, 'assistant', ARGV[5])
  for i, name in ipairs({ 'context', 'session' }) do
    if ARGV[5 + i] ~= '' then
      redis.call('HSET', conversation, name, ARGV[5 + i])
    end
  end
  for i = at, #ARGV do
    redis.call('RPUSH', messages, ARGV[i])
  end
end
if is_end then
  redis.call('HSET', conversation, 'ended', mark)
  redis.call('DEL', turn, inputs)
  return { 1, 0 }
end
local time = redis.call('TIME')
redis.call('HSET', turn, 'lease', time[1] * 1000 + math.floor(time[2] / 1000) + ARGV[3])
return { 1, state[3] and 1 or 0 }
