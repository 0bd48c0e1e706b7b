#!lua
-- Begins a turn: its reservation, what it begins with, and its lease. 0 if another turn has the conversation.
-- KEYS: conversation, turn, turns, told, befores, messages, inputs, live, leases.
-- ARGV: name, token, first, last, events, before, begun, milliseconds of the lease, cut, from, context, session, count.
local conversation, turn, turns, told, befores = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local messages, inputs, live, leases = KEYS[6], KEYS[7], KEYS[8], KEYS[9]
local name, token, first, last, from = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[10]
local running = redis.call('HGET', turn, 'token')
if running then
  return running == token and 1 or 0 -- The server did not hear the answer the first time.
end
if tonumber(redis.call('HGET', conversation, 'last') or '0') >= tonumber(first) then
  return 0
end
if from ~= '' then
  for _, old in ipairs(redis.call('ZRANGE', turns, 0, -1)) do
    if tonumber(old) >= tonumber(from) then
      redis.call('ZREM', turns, old)
      redis.call('HDEL', told, old)
      redis.call('HDEL', befores, old)
    end
  end
  if ARGV[13] == '0' then
    redis.call('DEL', messages)
  else
    redis.call('LTRIM', messages, 0, ARGV[13] - 1)
  end
  redis.call('HSET', conversation, 'context', ARGV[11], 'session', ARGV[12])
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', conversation, 'last', last)
redis.call('ZADD', turns, last, first)
redis.call('HSET', told, first, ARGV[5])
redis.call('HSET', befores, first, ARGV[6])
redis.call('DEL', live, inputs)
redis.call('HSET', turn, 'token', token, 'epoch', 1, 'first', first, 'begun', ARGV[7], 'before', ARGV[6], 'at', now)
if ARGV[9] ~= '' then
  redis.call('XADD', live, first .. '-0', 'event', ARGV[9])
end
redis.call('ZADD', leases, now + ARGV[8], name)
return 1
