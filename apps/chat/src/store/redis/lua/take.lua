#!lua
-- Takes over a turn whose lease is over. 0 if there is none, 1 if it is another server's.
-- KEYS: turn, inputs, live. ARGV: milliseconds of the lease, the first chunk id.
local turn, inputs, live = KEYS[1], KEYS[2], KEYS[3]
local state = redis.call('HMGET', turn, 'first', 'begun', 'before', 'at', 'token', 'lease')
if not state[1] then
  return { 0 }
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if tonumber(state[6]) > now or state[1] ~= ARGV[2] then
  return { 1 }
end
redis.call('HSET', turn, 'lease', now + ARGV[1])
local epoch = redis.call('HINCRBY', turn, 'epoch', 1)
local told = redis.call('XRANGE', live, '-', '+')
local newest = #told > 0 and string.match(told[#told][1], '^%d+') or tostring(state[1] - 1)
redis.call('XADD', inputs, redis.call('XLEN', inputs) + 1 .. '-0', 'input', 'o' .. newest)
local events, taken = {}, {}
for i, entry in ipairs(told) do
  events[i] = entry[2][2]
end
for i, entry in ipairs(redis.call('XRANGE', inputs, '-', '+')) do
  taken[i] = entry[2][2]
end
return { 2, { state[5], epoch, tonumber(state[1]), state[2], state[3], now - state[4], taken, events } }
