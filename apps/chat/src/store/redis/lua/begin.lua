#!lua
-- Begins a turn. 0 if another one has the conversation or the chunk id.
-- KEYS: turn, inputs, events. ARGV: token, first, begun, milliseconds of the lease.
local turn, inputs, events, token, first = KEYS[1], KEYS[2], KEYS[3], ARGV[1], ARGV[2]
local running = redis.call('HGET', turn, 'token')
if running then
  return running == token and 1 or 0 -- The server did not receive the answer to its first attempt.
end
local newest = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)[1]
newest = newest and tonumber(string.match(newest[1], '^%d+')) or 0
if newest + 1 ~= tonumber(first) then
  return 0
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('DEL', inputs)
redis.call('HSET', turn, 'token', token, 'owners', 1, 'first', first, 'begun', ARGV[3], 'at', now, 'lease', now + ARGV[4])
return 1
