#!lua
-- Notes in a running turn what another server has to say: that it is to stop, or how far its readers have come.
-- KEYS: turn, leases. ARGV: 'stop'; or 'taken' and a chunk id; or 'leave', the name and the owner.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
if ARGV[1] == 'stop' then
  redis.call('HSET', KEYS[1], 'stop', 1)
elseif ARGV[1] == 'leave' then
  local state = redis.call('HMGET', KEYS[1], 'token', 'epoch')
  if state[1] .. '/' .. state[2] == ARGV[3] then
    redis.call('ZADD', KEYS[2], 0, ARGV[2])
  end
else
  local time = redis.call('TIME')
  local taken = math.max(tonumber(ARGV[2]), tonumber(redis.call('HGET', KEYS[1], 'taken') or '0'))
  redis.call('HSET', KEYS[1], 'taken', taken, 'seen', time[1] * 1000 + math.floor(time[2] / 1000))
end
return 1
