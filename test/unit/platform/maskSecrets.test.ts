import { describe, expect, it } from 'vitest';
import { maskKeys, maskSecrets } from '../../../src/platform/maskSecrets.js';

/** Characters as a key has them, the same each time. Made here, so that no scanner takes this file for a leak. */
function random(length: number, alphabet = 'aZ3bY7cX1dW9eV5fU2gT8hS4iR6jQ0kPlOmN'): string {
  let state = length * 2654435761;
  return Array.from({ length }, () => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0;
    return alphabet[(state >>> 8) % alphabet.length];
  }).join('');
}
const hex = (length: number) => random(length, '0a1b2c3d4e5f6789');
const capitals = (length: number) => random(length, 'A1B2C3D4E5F6G7H8JKLMNPQRSTUVWXYZ');
const pem = (kind: string, body = Array.from({ length: 4 }, () => random(64)).join('\n')) =>
  `-----BEGIN ${kind}-----\n${body}\n-----END ${kind}-----`;
const jwt = ['eyJhbGciOiJIUzI1NiJ9', 'eyJzdWIiOiIxMjM0NTY3ODkwIn0', random(43)].join('.');

/** A text with a secret in it, and the secret. */
const SECRETS: [name: string, text: (secret: string) => string, secret: string][] = [
  ['an OpenAI key', (key) => `use ${key} for it`, `sk-${random(48)}`],
  ['an OpenAI project key', (key) => `OPENAI: ${key}.`, `sk-proj-${random(40)}_${random(40)}-${random(20)}`],
  ['an Anthropic key', (key) => `- the key is ${key}`, `sk-ant-api03-${random(60)}-${random(20)}AA`],
  ['an OpenRouter key', (key) => key, `sk-or-v1-${hex(64)}`],
  ['a DeepSeek key', (key) => `"${key}"`, `sk-${hex(32)}`],
  ['a GitHub token', (key) => `git clone with ${key}`, `ghp_${random(36)}`],
  ['a fine-grained GitHub token', (key) => key, `github_pat_${random(22)}_${random(59)}`],
  ['a GitLab token', (key) => `(${key})`, `glpat-${random(20)}`],
  ['an AWS key id', (key) => `aws ${key}`, `AKIA${capitals(16)}`],
  ['an AWS secret', (key) => `aws_secret_access_key = ${key}`, `${random(20)}/${random(19)}`],
  ['a Google key', (key) => `maps?key=${key}`, `AIza${random(35)}`],
  ['a Google OAuth token', (key) => key, `ya29.${random(60)}`],
  ['a Slack bot token', (key) => key, `xoxb-${random(11, '1234567890')}-${random(11, '123456')}-${random(24)}`],
  ['a Slack user token', (key) => key, `xoxp-${random(11, '1234567890')}-${random(24)}`],
  ['an npm token', (key) => `//registry/:_authToken=${key}`, `npm_${random(36)}`],
  ['a PyPI token', (key) => key, `pypi-${random(90)}`],
  ['a Hugging Face token', (key) => key, `hf_${random(34)}`],
  ['a SendGrid key', (key) => key, `SG.${random(22)}.${random(43)}`],
  ['a Stripe key', (key) => key, `sk_live_${random(24)}`],
  ['a restricted Stripe key', (key) => key, `rk_test_${random(24)}`],
  ['a Stripe webhook secret', (key) => key, `whsec_${random(32)}`],
  ['a Twilio key', (key) => key, `SK${hex(32)}`],
  ['a Telegram bot token', (key) => `bot ${key}`, `1234567890:${random(35)}`],
  ['a Zhipu key', (key) => key, `${hex(32)}.${random(16)}`],
  ['a Groq key', (key) => key, `gsk_${random(52)}`],
  ['a long key of no known kind', (key) => `Der Schlüssel: ${key}`, random(40)],
  ['a JSON web token', (key) => `token ${key} expires`, jwt],
  ['an RSA key', (key) => `here:\n${key}\nthanks`, pem('RSA PRIVATE KEY')],
  ['an OpenSSH key', (key) => key, pem('OPENSSH PRIVATE KEY')],
  ['a PGP key', (key) => key, pem('PGP PRIVATE KEY BLOCK')],
  ['a key in one line of JSON', (key) => `{"k":"${key}"}`, pem('PRIVATE KEY').replaceAll('\n', '\\n')],
  [
    'an encrypted key',
    (key) => key,
    pem('RSA PRIVATE KEY', `Proc-Type: 4,ENCRYPTED\nDEK-Info: AES-128-CBC,${hex(32)}\n\n${random(64)}`),
  ],
  ['an age key', (key) => key, `AGE-SECRET-KEY-1${capitals(58)}`],
  [
    'a Slack webhook',
    (key) => `https://hooks.slack.com/services/${key}`,
    `T0${capitals(7)}/B0${capitals(7)}/${random(24)}`,
  ],
  ['a Discord webhook', (key) => `https://discord.com/api/webhooks/${key}`, `123456789012345678/${random(68)}`],
  ['a bearer header', (key) => `curl -H "Authorization: Bearer ${key}" url`, random(24)],
  ['a short bearer header', (key) => `Authorization: Bearer ${key}`, 'hunter22'],
  ['a basic header', (key) => `authorization: Basic ${key}`, 'YW5uOmh1bnRlcjI='],
  ['an API key header', (key) => `X-Api-Key: ${key}`, hex(32)],
  ['a cookie', (key) => `Cookie: ${key}`, `session=${random(30)}; theme=dark`],
  ['a password in an address', (key) => `postgres://ann:${key}@db.example.com:5432/shop`, 'correct-horse'],
  ['a password in a Redis address', (key) => `redis://:${key}@localhost:6379/0`, 's3cr3t!'],
  ['a token in a git address', (key) => `https://${key}@git.example.com/ann/x.git`, hex(40)],
  ['a token in a query', (key) => `https://example.com/hook?access_token=${key}&x=1`, random(30)],
  ['a curl login', (key) => `curl -s -u ann:${key} https://example.com`, 'hunter2'],
  ['a MySQL password', (key) => `mysql -u root -p${key} shop`, 'hunter2'],
  ['a password option', (key) => `deploy --password ${key} --host x`, 'hunter2'],
  ['password=…', (key) => `user=ann password=${key}`, 'hunter'],
  ['PASSWORD in a .env', (key) => `DB_PASSWORD=${key}\nDB_HOST=db`, 'hunter'],
  ['DB_PASS', (key) => `DB_PASS=${key}`, 'hunter'],
  ['a password of words in a .env', (key) => `SMTP_PASSWORD=${key}`, 'correct.horse'],
  ['a quoted password', (key) => `"password": "${key}"`, 'correct horse battery 9'],
  ['a password in JSON within JSON', (key) => `{"a":"{\\"password\\": \\"${key}\\"}"}`, 'hunter'],
  ['a password in code', (key) => `const password = '${key}';`, 'hunter'],
  ['a password after a colon', (key) => `- Wifi password: ${key}`, 'Tr0ub4dor&3'],
  ['a number as a password', (key) => `password: ${key}`, '482913'],
  ['api_key: …', (key) => `api_key: ${key}`, hex(32)],
  ['apiKey in JSON', (key) => `{"apiKey":"${key}"}`, random(20)],
  ['an API key in words', (key) => `API key: ${key}`, random(24)],
  ['a client secret', (key) => `client_secret=${key}&grant_type=x`, random(24)],
  ['an ADO connection string', (key) => `Server=db;User Id=sa;Password=${key};Encrypt=true`, 'P@ssw0rd'],
  ['an Azure connection string', (key) => `AccountName=x;AccountKey=${key};EndpointSuffix=y`, `${random(80)}==`],
  ['a password in a sentence', (key) => `The staging password is ${key}.`, 'hunter2'],
  ['a quoted password in a sentence', (key) => `their password is "${key}", they said`, 'Summer2024!'],
  ['a password in Chinese', (key) => `数据库密码是${key}，不要外传`, 'Abc12345'],
  ['a password after a Chinese colon', (key) => `密码：${key}`, 'Abc12345'],
];

/** What people and agents write every day, and nothing of it secret. */
const ORDINARY = [
  'The person prefers tabs and drinks tea at 16:00.',
  'fixed in 9fceb02d0ae598e95dc970b74767f19372d61af8 (was 9fceb02)',
  'request 3f2504e0-4f89-11d3-9a0c-0305e82c3301 failed',
  'model claude-opus-4-5-20251101 with task-oriented prompts',
  'sha512-z4PhNX7vuL3xVChQ1m2AB9Yg5AULVxXcg/SpIdNs6c5H0NE8XYXysP+DGNKHfuwvY7kxvUdBeoGlODJ6+SfaPg==',
  'sha256:e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  'md5 d41d8cd98f00b204e9800998ecf8427e, crc 0xdeadbeef',
  '/home/ann/projects/tea-timer/src/components/TeaTimer2/index.test.ts',
  'C:\\Users\\Ann\\AppData\\Local\\Programs\\Microsoft VS Code\\bin\\code.cmd',
  '/nix/store/5rp7zgz6k6h1h7s1l8q0c4m6f0x9y3v2-nodejs-20.11.1/bin/node',
  'https://example.com:8443/docs/passwords?page=2&token=next#secrets',
  'https://docs.example.com/document/d/1BxiMVs0XRA5nFMdKvBdBZjgmUUqptlbs74OgvE2upms/edit',
  'git@github.com:ann/tea.git and ssh://git@github.com:22/ann/tea.git',
  'http://localhost:3000/users?email=ann@example.com',
  'sk-learn-2024-upgrade-notes, sk-learn, risk-based-testing-for-2025-and-beyond',
  'tokens: 12,345 of 65,536; max_tokens=8192, maxTokens: 8192, next_token = "abc12345defg"',
  'password: string; token: string | undefined; secret?: boolean',
  'password = getPassword(user)',
  'const token = await fetchToken({ scope });',
  'apiKey: process.env.OPENAI_API_KEY',
  'Vaults.Credentials = credentials_1.Credentials; password = form2.password',
  'token = os.environ["GITHUB_TOKEN"]',
  'Authorization: Bearer <token>, Authorization: Bearer $TOKEN',
  'password=${DB_PASSWORD} api_key={{ vault.key }} secret: !vault abc',
  'PWD=/home/ann/projects and OLDPWD=/tmp/x1',
  'The password is stored in 1Password; the token is read from the keychain.',
  'The password is required, and must be at least 12 characters.',
  'Passwords are hashed with argon2id. password: bcrypt',
  'the secret: use butter, not oil',
  'bearer of bad news, bearer authentication, a bearer token is sent',
  'key: value, keyboard: qwertz2, monkey: 3, primaryKey: userId42',
  'secretName: prod-db-credentials, tokenizer=cl100k_base, passwordless=true',
  'a {"role":"user","content":"hi"} b, i18n: password: "Password"',
  'runs `npm run build:production` in node_modules/.bin, version 20.11.1-beta.3+build.512',
  'testThatTheSettingsPageKeepsItsValuesAfterReloadingTheWindow',
  'handleUserDefinedConfigurationForWorkspaceFoldersVersion2',
  'call_9b1deb4d3b7d4bad9bdd2b0d7b3dcb6d and toolu_01 with id a1b2c3',
  'curl -u "$USER:$PASS" https://example.com; mysql -u root -p shop',
  'deploy --token $TOKEN --password-file /run/secrets/db',
  'at 2026-04-15T15:23:45.123Z +02:00, 192.168.0.17:8080, fe80::1ff:fe23:4567:890a',
  'npm_config_registry_for_the_whole_team, hf_transfer_is_enabled_by_default',
  '-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----',
  '她喜欢喝茶，密码学课在周三。密码是必填项。',
  '密码需要至少12个字符',
];

describe('maskSecrets', () => {
  it.each(SECRETS)('masks %s and nothing around it', (_name, text, secret) => {
    const masked = maskSecrets(text(secret));
    expect(masked).not.toContain(secret);
    expect(masked).toBe(text('***'));
    expect(maskSecrets(masked)).toBe(masked);
  });

  it.each(ORDINARY)('leaves %j alone', (text) => {
    expect(maskSecrets(text)).toBe(text);
  });

  it('masks a private key that was cut off, and not the text behind it', () => {
    const cut = pem('RSA PRIVATE KEY').split('\n').slice(0, 3).join('\n');
    expect(maskSecrets(`a\n${cut}\n\nThe rest of the message is here.`)).toBe(
      'a\n***\n\nThe rest of the message is here.',
    );
  });

  it('masks several in one text', () => {
    const text = `key sk-${random(48)} and\nDB_PASSWORD=hunter\nplus ${jwt}, that is all`;
    expect(maskSecrets(text)).toBe('key *** and\nDB_PASSWORD=***\nplus ***, that is all');
  });

  it('stays quick on long texts that are made to be slow', () => {
    const hostile = [
      'a'.repeat(200_000),
      'curl '.repeat(40_000),
      '-----BEGIN PRIVATE KEY-----'.repeat(2_000),
      'password'.repeat(20_000),
      'a://b:'.repeat(30_000),
      'Cookie: '.repeat(20_000),
      'eyJaaaaaaaaa.'.repeat(15_000),
      'login a password '.repeat(10_000),
      `${random(50_000)} `.repeat(4),
    ];
    const started = performance.now();
    for (const text of hostile) maskSecrets(text);
    expect(performance.now() - started).toBeLessThan(5_000);
  });
});

describe('maskKeys', () => {
  it('masks what was named, and what only resembles a key', () => {
    expect(maskKeys('No such key: hunter22', ['hunter22'])).toBe('No such key: ***');
    expect(maskKeys('Incorrect API key provided: sk-abc***wxyz.')).not.toContain('abc');
    expect(maskKeys(`id my_${random(20)}-${random(20)}`)).toBe('id ***');
  });

  it('masks everything that maskSecrets does', () => {
    for (const [, text, secret] of SECRETS) expect(maskKeys(text(secret))).not.toContain(secret);
  });
});
