#!lua
-- Saves a turn, or a step of one, with what was told of it: all of it or nothing. 0 if it is not the server's who asks.
-- KEYS: conversation, turn, turns, told, messages, inputs, live.
-- ARGV: owner, first, last, events, assistant, context, session, milliseconds for which what was told live is kept,
-- the last word or '', how many inputs there were, the input of a step, and then the messages.
local conversation, turn, turns, told = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local messages, inputs, live = KEYS[5], KEYS[6], KEYS[7]
local first, last, is_end = ARGV[2], ARGV[3], ARGV[9] ~= ''
local mark = first .. '/' .. ARGV[1]
local state = redis.call('HMGET', turn, 'token', 'epoch')
if not state[1] or state[1] .. '/' .. state[2] ~= ARGV[1] then
  -- Perhaps it was saved, and the server did not hear the answer.
  return redis.call('HGET', conversation, 'ended') == mark and 1 or 0
end
if not is_end then
  if redis.call('XLEN', inputs) ~= tonumber(ARGV[10]) then
    return 1 -- Likewise.
  end
  redis.call('XADD', inputs, ARGV[10] + 1 .. '-0', 'input', ARGV[11])
end
if ARGV[5] ~= '' then
  redis.call('HSETNX', conversation, 'assistant', ARGV[5])
end
if ARGV[6] ~= '' then
  redis.call('HSET', conversation, 'context', ARGV[6])
end
if ARGV[7] ~= '' then
  redis.call('HSET', conversation, 'session', ARGV[7])
end
for i = 12, #ARGV do
  redis.call('RPUSH', messages, ARGV[i])
end
redis.call('HSET', told, first, ARGV[4])
if is_end then
  redis.call('HSET', conversation, 'last', last, 'ended', mark)
  redis.call('ZADD', turns, last, first)
  redis.call('XADD', live, last .. '-0', 'event', ARGV[9])
  redis.call('PEXPIRE', live, ARGV[8])
  redis.call('DEL', turn, inputs)
end
return 1
