#!lua flags=no-writes
-- A stream's state, and the chunks after the last one that was processed, or from the first one on.
-- KEYS: state, in. ARGV: at most how many chunks, 'next' or 'first'.
local state = redis.call('HMGET', KEYS[1], 'provider', 'last', 'told', 'saved')
local after = ARGV[2] == 'first' and '0' or state[2] or '0'
if not string.find(after, '^%d+$') then
  return { state[1], state[2], state[3], state[4], {} } -- Changed by hand. The worker will say so.
end
local chunks = redis.call('XRANGE', KEYS[2], '(' .. after .. '-0', '+', 'COUNT', ARGV[1])
return { state[1], state[2], state[3], state[4], chunks }
