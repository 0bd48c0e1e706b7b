#!lua
-- Begins a turn. 0 if another one has the conversation or the chunk id.
-- KEYS: turn, inputs, events, turns, messages, conversation.
-- ARGV: token, first, begun, before, milliseconds of the lease, cut or '', cut's event, context, session, count.
local turn, inputs, events, turns, messages = KEYS[1], KEYS[2], KEYS[3], KEYS[4], KEYS[5]
local token, first, cut = ARGV[1], ARGV[2], ARGV[6]
local running = redis.call('HGET', turn, 'token')
if running then
  return running == token and 1 or 0 -- The server did not receive the answer to its first attempt.
end
local newest = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)[1]
newest = newest and tonumber(string.match(newest[1], '^%d+')) or 0
if newest + 1 ~= tonumber(first) then
  return 0
end
if cut ~= '' then
  for _, event in ipairs(redis.call('XRANGE', events, cut, '+')) do
    redis.call('XDEL', events, event[1])
  end
  for _, other in ipairs(redis.call('HKEYS', turns)) do
    if tonumber(other) >= tonumber(cut) then
      redis.call('HDEL', turns, other)
    end
  end
  if ARGV[10] == '0' then
    redis.call('DEL', messages)
  else
    redis.call('LTRIM', messages, 0, ARGV[10] - 1)
  end
  redis.call('HSET', KEYS[6], 'context', ARGV[8], 'session', ARGV[9])
  redis.call('XADD', events, first .. '-0', 'event', ARGV[7])
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', turns, first, ARGV[4])
redis.call('DEL', inputs)
redis.call('HSET', turn, 'token', token, 'owners', 1, 'first', first, 'begun', ARGV[3], 'at', now, 'lease', now + ARGV[5])
return 1
