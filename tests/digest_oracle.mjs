// A second implementation of sesslint-log-v1, on this engine's own JSON.parse and JSON.stringify.
// Reads JSON texts in hex, one a line; answers each with its canonical form in hex and its entry digest, or with "!".
// With --freeze it reads [name, [entry text...]] a line and answers with the frozen row.
import { createHash } from 'node:crypto'
import { readFileSync } from 'node:fs'

const SCHEME = 'sesslint-log-v1'

function canonical(value) {
  if (typeof value === 'number' && Object.is(value, -0)) return '0'
  if (value === null || typeof value !== 'object') return JSON.stringify(value)
  if (Array.isArray(value)) return `[${value.map(canonical).join(',')}]`
  const members = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0))
  return `{${members.map(([name, member]) => `${JSON.stringify(name)}:${canonical(member)}`).join(',')}}`
}

function digest(domain, texts) {
  const hash = createHash('sha256').update(`${SCHEME}\0${domain}\0`)
  for (const text of texts) hash.update(`${Buffer.byteLength(text)}:${text},`)
  return `${SCHEME}:sha256:${hash.digest('hex')}`
}

const lines = readFileSync(0, 'utf8').split('\n').filter(Boolean)
const decoder = new TextDecoder('utf-8', { ignoreBOM: true })
for (const line of lines) {
  if (process.argv[2] === '--freeze') {
    const [name, entries] = JSON.parse(line)
    const forms = entries.map(text => canonical(JSON.parse(text)))
    const row = { name, entries, entry_digests: forms.map(form => digest('entry', [form])), log_digest: digest('log', forms) }
    console.log(JSON.stringify(row))
    continue
  }
  try {
    const form = canonical(JSON.parse(decoder.decode(Buffer.from(line, 'hex'))))
    console.log(`${Buffer.from(form).toString('hex')} ${digest('entry', [form])}`)
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error
    console.log('!')
  }
}
