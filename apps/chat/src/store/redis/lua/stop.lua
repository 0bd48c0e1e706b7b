#!lua
-- Asks for the end of the turn that runs. 0 if it is another one. KEYS: turn. ARGV: first.
if redis.call('HGET', KEYS[1], 'first') ~= ARGV[1] then
  return 0
end
redis.call('HSET', KEYS[1], 'stop', 1)
return 1
