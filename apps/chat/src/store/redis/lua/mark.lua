#!lua
-- Notes in a running turn what another server has to say: that it is to stop, or how far its readers have come.
-- Or ends one that its owner leaves, or can't read: what is reserved is what is told of it then.
-- KEYS: turn; to end it inputs and live, too.
-- ARGV: 'stop' and the turn's first chunk id; or 'taken', that, and another one; or 'leave' or 'end', and the owner.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
if (ARGV[1] == 'stop' or ARGV[1] == 'taken') and redis.call('HGET', KEYS[1], 'first') ~= ARGV[2] then
  return 0 -- Another turn has begun since.
end
if ARGV[1] == 'stop' then
  redis.call('HSET', KEYS[1], 'stop', 1)
elseif ARGV[1] == 'leave' or ARGV[1] == 'end' then
  local state = redis.call('HMGET', KEYS[1], 'token', 'epoch')
  if state[1] .. '/' .. state[2] == ARGV[2] then
    if ARGV[1] == 'leave' then
      redis.call('HSET', KEYS[1], 'lease', 0)
    else
      redis.call('DEL', KEYS[1], KEYS[2], KEYS[3])
    end
  end
else
  local time = redis.call('TIME')
  local taken = math.max(tonumber(ARGV[3]), tonumber(redis.call('HGET', KEYS[1], 'taken') or '0'))
  redis.call('HSET', KEYS[1], 'taken', taken, 'seen', time[1] * 1000 + math.floor(time[2] / 1000))
end
return 1
