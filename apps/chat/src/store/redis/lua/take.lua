#!lua
-- Takes over a turn whose lease has expired: { 0, turn, inputs, events }; { 1, false, {}, {} } if another server holds it,
-- and { 0, false, {}, {} } if there is none.
-- KEYS: turn, inputs, events. ARGV: milliseconds of the lease.
local turn, inputs, events = KEYS[1], KEYS[2], KEYS[3]
local state = redis.call('HMGET', turn, 'first', 'begun', 'at', 'token', 'lease')
if not state[1] then
  return { 0, false, {}, {} }
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
if tonumber(state[5]) > now then
  return { 1, false, {}, {} }
end
redis.call('HSET', turn, 'lease', now + ARGV[1])
local owners = redis.call('HINCRBY', turn, 'owners', 1)
local told, taken = {}, {}
for i, entry in ipairs(redis.call('XRANGE', events, state[1], '+')) do
  told[i] = entry[2][2]
end
for i, entry in ipairs(redis.call('XRANGE', inputs, '-', '+')) do
  taken[i] = entry[2][2]
end
return { 0, { state[4], owners, tonumber(state[1]), state[2], now - state[3] }, taken, told }
