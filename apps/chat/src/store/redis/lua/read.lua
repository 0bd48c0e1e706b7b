#!lua flags=no-writes
-- Reads events: { events, the last chunk id, the first chunk id of the turn that runs, whether a server holds that }.
-- KEYS: events, turn. ARGV: the first chunk id that is wanted, how many events at most.
local events, state, told = KEYS[1], redis.call('HMGET', KEYS[2], 'first', 'lease'), {}
for i, entry in ipairs(redis.call('XRANGE', events, ARGV[1], '+', 'COUNT', ARGV[2])) do
  told[i] = entry[2][2]
end
local newest = redis.call('XREVRANGE', events, '+', '-', 'COUNT', 1)[1]
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
local is_held = state[2] and tonumber(state[2]) > now and 1 or 0
return { told, newest and tonumber(string.match(newest[1], '^%d+')) or 0, state[1], is_held }
