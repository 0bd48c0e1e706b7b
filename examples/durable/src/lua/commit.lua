#!lua
-- Commits what a worker made of some chunks of one stream: what is told, the new state, and the end of its turn. All or
-- nothing: everything is checked before anything is written. (And the first line of this file makes Redis itself check
-- before: without it, a script that runs out of memory, say, would stop in the middle.)
-- KEYS: queue, state, in, out.
-- ARGV: group, worker, turn, the stream's name, last before, last now, told, saved, end, seconds to keep, 'trim' or '',
-- and then an id and the lines of each entry for `out`, in order.
local queue, state, input, out = KEYS[1], KEYS[2], KEYS[3], KEYS[4]
local group, worker, turn, name, before, last = ARGV[1], ARGV[2], ARGV[3], ARGV[4], ARGV[5], ARGV[6]
local told, saved, ending, keep, trim = ARGV[7], ARGV[8], ARGV[9], ARGV[10], ARGV[11]

-- The fence. The turn is a queue entry that was delivered to this worker, and to nobody else since; a commit uses it up.
if #redis.call('XPENDING', queue, group, turn, turn, 1, worker) == 0 then
  return 'lost'
end
local function end_turn()
  redis.call('XACK', queue, group, turn)
  redis.call('XDEL', queue, turn)
end

local now = redis.call('HMGET', state, 'have', 'queued', 'last')
if now[2] ~= turn then
  end_turn() -- The state was removed, by its age or by hand.
  return 'gone'
end
if (now[3] or '') ~= before then
  return 'moved' -- By hand: a worker can't, without this turn.
end

-- An entry's id is its chunk's number, so Redis itself refuses what was told before. If the first is later than all
-- that is there, the others are too.
for i = 12, #ARGV, 2 do
  local added = redis.pcall('XADD', out, ARGV[i], 'events', ARGV[i + 1])
  if type(added) == 'table' and added.err then
    if not string.find(added.err, 'equal or smaller', 1, true) then
      return added -- The first write, so there was none before.
    end
    ending = 'output-is-ahead'
    break
  end
end
end_turn()
if ending ~= '' then
  redis.call('HDEL', state, 'saved', 'told', 'queued')
  redis.call('HSET', state, 'last', last, 'end', ending)
  redis.call('DEL', input)
  redis.call('EXPIRE', state, keep)
  redis.call('EXPIRE', out, keep)
  return 'ended'
end
redis.call('HSET', state, 'last', last, 'saved', saved)
if told == '' then
  redis.call('HDEL', state, 'told')
else
  redis.call('HSET', state, 'told', told)
end
if trim ~= '' then
  redis.call('XTRIM', input, 'MINID', '=', (tonumber(last) + 1) .. '-0')
end
if tonumber(now[1] or last) > tonumber(last) then
  redis.call('HSET', state, 'queued', redis.call('XADD', queue, '*', 'stream', name))
  return 'queued'
end
redis.call('HDEL', state, 'queued')
return 'idle'
