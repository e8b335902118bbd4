// Asks the harness's own loader about logs of every kind of damage, one log a root, and compares what it does with what
// `sesslint dsh-audit` predicts and `sesslint check` reports.
import { Context } from '@deepseek-ai/cordis'
import SessionStore from '@deepseek-ai/dsh-session'
import Jsonl from '@deepseek-ai/dsh-session-persistence-jsonl'
import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { constants, zstdCompressSync } from 'node:zlib'

const [program, work] = process.argv.slice(2)
const MAGIC = Buffer.from([0x28, 0xb5, 0x2f, 0xfd])
const bytes = (...parts) => Buffer.concat(parts.map((part) => Buffer.from(part)))
const frame = (text) => zstdCompressSync(bytes(text), { params: { [constants.ZSTD_c_checksumFlag]: 1 } })

let state = 7
/** A number below another: the same row of numbers every time. */
const random = (below) => { state = (Math.imul(state, 1103515245) + 12345) >>> 0; return (state >>> 8) % below }

const HEADER = JSON.stringify({ type: 'session', version: 0, id: 's', createdAt: 1, cwd: '/p', delegationDepth: 0 }) + '\n'
const event = (type, seq, data = {}, more = {}) => JSON.stringify({ type, seq, time: 1, data, ...more }) + '\n'
const turn = (first, turn, middle = []) => [
  event('turn/start', first, { turn }),
  ...middle,
  event('turn/end', first + middle.length + 1, { turn, reason: { kind: 'completed' } }),
]
const todo = (seq) => event('todo/write', seq, { todos: [] })
const deep = '['.repeat(3000) + ']'.repeat(3000)
const row = (texts) =>
  `{"type":"text-chunks","seq0":1,"time0":1,"data":{"turn":1,"step":1,"index":0,"dt":[0],"texts":${texts}}}\n`
const piece = event('assistant/chunk', 1, { turn: 1, step: 1, chunk: { type: 'text-delta', index: 0, text: 'x' } })
const LOG = [...turn(0, 1, [todo(1)]), ...turn(3, 2)]

// Lines behind the header, in either container.
const bodies = {
  clean: LOG,
  nothing: [],
  'open turn': LOG.slice(0, 4),
  'blank lines at the end': [...LOG, '\n', '\n'],
  'a gap in a turn': [LOG[0], ...LOG.slice(2)],
  'a gap at the end': [...LOG, todo(9)],
  'a line twice': [LOG[0], LOG[1], LOG[1], ...LOG.slice(2)],
  'a number twice': [LOG[0], LOG[1], todo(1).replace('[]', '[1]'), ...LOG.slice(2)],
  'a line twice at the end': [...LOG, LOG[4]],
  'an event under the number of a piece': [LOG[0], piece, ...LOG.slice(1)],
  'lines swapped': [LOG[0], LOG[2], LOG[1], ...LOG.slice(3)],
  'an unknown type': turn(0, 1, [event('my/metric', 1)]),
  'an unknown type that may be ignored': turn(0, 1, [event('my/metric', 1, {}, { ignorable: true })]),
  'a later type': turn(0, 1, [event('system/message', 1)]),
  'a broken line': [LOG[0], '{"type":\n', ...LOG.slice(1)],
  'a broken line at the end': [...LOG, '{"type":\n'],
  'no record': [LOG[0], '{"type":"todo/write"}\n', ...LOG.slice(1)],
  'an empty line': [LOG[0], '\n', ...LOG.slice(1)],
  'two records on a line': [LOG[0], LOG[1].trimEnd() + LOG[2], ...LOG.slice(3)],
  'bad bytes': [LOG[0], bytes('{"type":"todo/write","seq":1,"time":1,"data":{"x":"', [0xff, 0xfe], '"}}\n'), ...LOG.slice(2)],
  'half a surrogate': turn(0, 1, [`{"type":"todo/write","seq":1,"time":1,"data":{"x":"\\ud800"}}\n`]),
  'a name twice': turn(0, 1, [`{"type":"x","type":"todo/write","seq":7,"seq":1,"time":1,"data":{}}\n`]),
  'deep nesting': turn(0, 1, [`{"type":"todo/write","seq":1,"time":1,"data":{"x":${deep}}}\n`]),
  'a packed row': [LOG[0], row('["a","b"]'), event('turn/end', 3, { turn: 1, reason: { kind: 'completed' } })],
  'a packed row of other shape': [LOG[0], row('["a",1]'), ...LOG.slice(1)],
  'a line without end': [...LOG.slice(0, 4), LOG[4].trimEnd()],
}

// Whole logs, by name of the file's ending.
const logs = []
const add = (name, ending, ...parts) => logs.push({ name: `${name} (${ending})`, ending, content: bytes(...parts) })
for (const [name, body] of Object.entries(bodies)) {
  add(name, 'jsonl', HEADER, ...body)
  add(name, 'jsonl.zstd', frame(HEADER), ...body.map(frame))
}
const [head, one, last] = [frame(HEADER), frame(LOG.slice(0, 3).join('')), frame(LOG.slice(3).join(''))]
const whole = bytes(head, one, last)
const flipped = (buffer, at, bits = 1) => { const copy = bytes(buffer); copy[at] ^= bits; return copy }
add('a torn line', 'jsonl', HEADER, ...LOG, '{"type":"todo/wr')
add('a torn line, JSON', 'jsonl', HEADER, ...LOG, '{"type":"todo/write"}')
add('no header', 'jsonl', ...LOG)
add('a torn header', 'jsonl', HEADER.slice(0, 30))
add('a byte order mark', 'jsonl', '\ufeff', HEADER, ...LOG)
add('a later version', 'jsonl', HEADER.replace(':0', ':1'), ...LOG)
add('no bytes', 'jsonl')
add('no bytes', 'jsonl.zstd')
for (const cut of [1, 4, 5, 9, last.length - 1]) add(`a frame torn after ${cut} bytes`, 'jsonl.zstd', head, one, last.subarray(0, cut))
for (const cut of [3, 9, head.length - 1]) add(`only a frame torn after ${cut} bytes`, 'jsonl.zstd', head.subarray(0, cut))
const batch = Array.from({ length: 400 }, (_, n) => event('todo/write', 6 + n, { todos: [`${random(1e9)}`] }))
const long = frame(batch.join(''))
for (const part of [0.02, 0.3, 0.5, 0.9]) add(`a batch torn at ${part}`, 'jsonl.zstd', whole, long.subarray(0, part * long.length))
for (const cut of [1, 4, 5, 9]) add(`a batch without its last ${cut} bytes`, 'jsonl.zstd', whole, long.subarray(0, -cut))
const gap = frame([...batch.slice(0, 100), ...batch.slice(200)].join(''))
add('a torn batch with a gap', 'jsonl.zstd', whole, gap.subarray(0, -5))
add('a torn batch with a gap before it', 'jsonl.zstd', head, one, long.subarray(0, -5))
add('a torn batch with a line twice', 'jsonl.zstd', whole, frame([...batch.slice(0, 9), ...batch.slice(8)].join('')).subarray(0, -5))
add('everything in one frame', 'jsonl.zstd', frame(HEADER + LOG.join('')))
add('an empty frame first', 'jsonl.zstd', frame(''), whole)
add('the header without its line end', 'jsonl.zstd', frame(HEADER.trimEnd()), frame('\n'), one)
add('a record over two frames', 'jsonl.zstd', head, frame(LOG[0].slice(0, 20)), frame(LOG[0].slice(20) + LOG.slice(1).join('')))
add('plain text', 'jsonl.zstd', HEADER, ...LOG)
add('zeros', 'jsonl.zstd', Buffer.alloc(64))
for (const [name, rest] of [
  ['other magic', 'PK\x03\x04....'],
  ['a skippable frame', Buffer.from([0x50, 0x2a, 0x4d, 0x18, 1, 0, 0, 0, 0])],
  ['a reserved header bit', bytes(MAGIC, [0x08])],
  ['an unused header bit', bytes(MAGIC, [0x10])],
  ['a reserved block type', bytes(MAGIC, [0x20, 1, 0x07, 0, 0])],
  ['a dictionary', bytes(MAGIC, [0x21, 7, 1, 0x09, 0, 0], 'x')],
  ['a wrong content size', bytes(MAGIC, [0x20, 2, 0x09, 0, 0], 'x')],
  ['a wrong checksum', flipped(last, last.length - 1)],
]) {
  add(`${name} first`, 'jsonl.zstd', rest, whole)
  add(`${name} last`, 'jsonl.zstd', head, one, rest)
}
// Random damage, the same every time. Text gets a control, which no JSON may hold; names that are spelled wrong make
// records that are refused for reasons of their own.
for (let n = 0; n < 200; n++) {
  const text = bytes(HEADER + LOG.join(''))
  text[random(text.length)] = 1
  add(`random damage ${n}`, 'jsonl', text)
  add(`random damage ${n}`, 'jsonl.zstd', flipped(whole, random(whole.length), 1 << random(8)))
  add(`random end ${n}`, 'jsonl', HEADER, LOG.join('').slice(0, random(LOG.join('').length)))
  add(`random end ${n}`, 'jsonl.zstd', whole.subarray(0, 1 + random(whole.length)))
}

const roots = logs.map(({ name, ending, content }, n) => {
  const root = join(work, String(n))
  mkdirSync(join(root, '--p--', 's'), { recursive: true })
  writeFileSync(join(root, '--p--', 's', `session.${ending}`), content)
  return { name, root }
})

/** What the harness does with the only log of a root, in the words of the audit, and the events it takes from it. */
async function ask(root, compression, expected) {
  const context = new Context()
  await context.plugin(SessionStore, {})
  await context.plugin(Jsonl, { root, compression })
  let sessions
  try {
    sessions = await context.sessionPersistence.list()
  } catch {
    return { seen: 'blocks-start' }
  }
  if (sessions.length === 0) return { seen: 'hides-session' }
  try {
    const { events } = await context.sessionPersistence.inspect(sessions[0].id)
    // What the harness adds to close a turn is no part of the log.
    const kept = events.filter(({ data }) => data?.reason?.kind !== 'interrupted')
    return { seen: kept.length < expected ? 'drops-tail' : 'opens', kept: kept.map(({ type, seq, data }) => `${seq} ${type} ${data?.todos}`).join('\n') }
  } catch {
    return { seen: 'refuses-session' }
  }
}

const ORDER = ['ignored', 'opens', 'drops-tail', 'hides-session', 'refuses-session', 'blocks-start']
const json = (args) => {
  try {
    return JSON.parse(execFileSync(program, args, { encoding: 'utf8', stdio: ['ignore', 'pipe', 'ignore'] }))
  } catch (error) {
    return JSON.parse(error.stdout)
  }
}
const succeeds = (args) => {
  try {
    execFileSync(program, args, { stdio: 'ignore' })
    return true
  } catch {
    return false
  }
}
/** A root that holds the log as `repair` mends it, with as little given up as will do; nothing when it refuses. */
function mend(root, log, number) {
  const mended = join(work, `mended-${number}`)
  const source = join(root, log)
  const output = join(mended, log)
  mkdirSync(dirname(output), { recursive: true })
  const policies = [[], ['--policy', 'salvage'], ['--policy', 'salvage', '--acknowledge-side-effects']]
  const policy = policies.find((policy) => succeeds(['repair', source, '--output', output, '--manifest', `${mended}.json`, ...policy]))
  if (!policy) return
  const acknowledged = policy.filter((word) => word.startsWith('--ack'))
  if (!succeeds(['verify', source, output, '--manifest', `${mended}.json`, ...acknowledged])) wrong.push(`${mended}: not verified`)
  return { root: mended, steps: JSON.parse(readFileSync(`${mended}.json`)).actions.map(({ kind }) => kind) }
}

const wrong = []
const recipes = new Map()
let number = 0
for (const { name, root } of roots) {
  const audit = json(['dsh-audit', '--json', root]).artifacts[0]
  const effects = audit.findings.map((finding) => ORDER.indexOf(finding.evidence.effect))
  const predicted = ORDER[Math.max(1, ...effects)]
  const compression = audit.path.endsWith('.zstd') ? 'zstd' : 'none'
  const mended = audit.findings.length > 0 ? mend(root, audit.path, number++) : undefined
  const { seen, kept } = await ask(root, compression, audit.event_count)
  if (mended?.steps.length > 0) {
    mended.steps.forEach((step) => recipes.set(step, (recipes.get(step) ?? 0) + 1))
    const after = await ask(mended.root, compression, 0)
    if (after.seen !== 'opens') wrong.push(`${name}: mended by ${mended.steps}, the harness ${after.seen}`)
    const torn = mended.steps.every((step) => step.startsWith('torn-'))
    if (torn && seen === 'opens' && after.kept !== kept) wrong.push(`${name}: mended by ${mended.steps}, it has other events`)
  }
  // A tail that holds no event can be dropped without a trace.
  const agrees = seen === predicted || seen === 'opens' && predicted === 'drops-tail'
  const report = json(['check', '--json', '--format', 'dsh-jsonl', join(root, audit.path)])
  const loud = report.findings.filter(({ severity }) => severity !== 'info')
  // The audit takes a whole record without line end for an event, and empty lines at the end for nothing; `check` says
  // what becomes of them.
  const left = loud.some(({ variant }) => variant.startsWith('unended') || variant === 'empty-last-lines')
  if (!agrees && !left) wrong.push(`${name}: the harness ${seen}, the audit says ${predicted}`)
  if (!['opens', 'hides-session'].includes(seen) && loud.length === 0) wrong.push(`${name}: the harness ${seen}, check is silent`)
  const refused = loud.filter(({ code, severity }) => severity === 'error' && ['SL001', 'SL004', 'SL301', 'SL302'].includes(code))
  // A last line without end is cut off, which the audit tells as information and `check` as the loss of a record.
  const torn = audit.findings.some(({ code }) => code === 'TORN_FINAL_LINE')
  if (agrees && predicted === 'opens' && !torn && refused.length > 0) wrong.push(`${name}: the harness opens it, check says ${refused.map(({ code }) => code)}`)
}
for (const [recipe, count] of [...recipes].sort()) console.log(`mended by ${recipe}: ${count}`)
console.log(`dsh harness: ${roots.length} logs, ${wrong.length} of them judged otherwise`)
wrong.forEach((line) => console.log(line))
process.exit(wrong.length > 0 ? 1 : 0)
