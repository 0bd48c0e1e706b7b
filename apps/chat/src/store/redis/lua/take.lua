#!lua
-- Takes over a turn whose lease is over. Nothing if it is not, or there is none.
-- KEYS: turn, inputs, live, leases. ARGV: name, milliseconds of the lease, the first chunk id.
local turn, inputs, live, leases = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local expiry = redis.call('ZSCORE', leases, ARGV[1])
if not expiry or tonumber(expiry) > now then
  return false
end
local state = redis.call('HMGET', turn, 'first', 'begun', 'before', 'at', 'token')
if not state[1] then
  redis.call('ZREM', leases, ARGV[1])
  return false
end
if state[1] ~= ARGV[3] then
  return false -- Another turn has begun since.
end
redis.call('ZADD', leases, now + ARGV[2], ARGV[1])
local epoch = redis.call('HINCRBY', turn, 'epoch', 1)
local told = redis.call('XRANGE', live, '-', '+')
local newest = #told > 0 and string.match(told[#told][1], '^%d+') or tostring(state[1] - 1)
redis.call('RPUSH', inputs, 'o' .. newest)
local events = {}
for i, entry in ipairs(told) do
  events[i] = entry[2][2]
end
return { state[5], epoch, tonumber(state[1]), state[2], state[3], now - state[4], redis.call('LRANGE', inputs, 0, -1), events }
