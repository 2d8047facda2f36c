import { expect, it } from 'vitest';
import { MAX_URI_PROMPT, readPromptUri } from '../../../src/vscode/promptUri.js';

it.each([
  ['/prompt', 'text=Explain this', 'Explain this'],
  ['/prompt/', 'text=a & b=c + d', 'a & b=c + d'],
  ['/prompt', 'from=mail&text= one\r\ntwo\t3 ', 'one\ntwo\t3'],
  ['/prompt', 'text=a\u0000b\u001b[1mc\u202ed\u200be', 'ab[1mcde'],
  ['/prompt', 'text=👩‍💻 好', '👩‍💻 好'],
])('takes the text of %s?%s', (path, query, text) => {
  expect(readPromptUri(path, query)).toEqual({ text });
});

it('takes as much as may come, and says what is wrong with more, with nothing, and with another address', () => {
  const most = 'x'.repeat(MAX_URI_PROMPT);
  expect(readPromptUri('/prompt', `text=${most}`)).toEqual({ text: most });
  expect(readPromptUri('/prompt', `text=${most}x`)).toEqual({
    problem: 'The text of the address has 8,001 characters; 8,000 are the most.',
  });
  for (const query of ['', 'txt=a', 'text=', 'text=\u0007 '])
    expect(readPromptUri('/prompt', query)).toEqual({ problem: expect.stringContaining('has no text') as string });
  for (const path of ['', '/session', '/prompt/x'])
    expect(readPromptUri(path, 'text=a')).toEqual({ problem: expect.stringContaining('does not know') as string });
});
