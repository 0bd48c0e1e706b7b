#!lua
-- Stores what a turn takes in and tells, and renews its lease; if it is still the server's who asks.
-- KEYS: turn, inputs, live.
-- ARGV: owner, milliseconds of the lease, how many inputs there were, how many are new, these, and then an id and an
-- event by turns.
local turn, inputs, live = KEYS[1], KEYS[2], KEYS[3]
local state = redis.call('HMGET', turn, 'epoch', 'stop', 'taken', 'seen', 'token')
if not state[1] or state[5] .. '/' .. state[1] ~= ARGV[1] then
  return { 0, 0, 0, 0 }
end
local had, new = tonumber(ARGV[3]), tonumber(ARGV[4])
if new > 0 and redis.call('XLEN', inputs) == had then -- Else they are there: the server did not hear the answer.
  for i = 1, new do
    redis.call('XADD', inputs, had + i .. '-0', 'input', ARGV[4 + i])
  end
end
if #ARGV > 4 + new then
  local newest = redis.call('XREVRANGE', live, '+', '-', 'COUNT', 1)[1]
  newest = newest and tonumber(string.match(newest[1], '^%d+')) or 0
  for i = 5 + new, #ARGV, 2 do
    if tonumber(ARGV[i]) > newest then
      redis.call('XADD', live, ARGV[i] .. '-0', 'event', ARGV[i + 1])
    end
  end
end
local time = redis.call('TIME')
local now = time[1] * 1000 + math.floor(time[2] / 1000)
redis.call('HSET', turn, 'lease', now + ARGV[2])
return { 1, state[2] and 1 or 0, tonumber(state[3] or '0'), state[4] and now - state[4] or -1 }
