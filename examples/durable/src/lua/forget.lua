#!lua
-- Removes the names of workers that are gone: nothing is pending with them, and they have been silent for long.
-- KEYS: queue. ARGV: group, milliseconds of silence.
local gone = 0
for _, fields in ipairs(redis.call('XINFO', 'CONSUMERS', KEYS[1], ARGV[1])) do
  local consumer = {}
  for i = 1, #fields, 2 do
    consumer[fields[i]] = fields[i + 1]
  end
  if consumer.pending == 0 and consumer.idle > tonumber(ARGV[2]) then
    gone = gone + 1
    redis.call('XGROUP', 'DELCONSUMER', KEYS[1], ARGV[1], consumer.name)
  end
end
return gone
