import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { openWithModel, toolCard, transcriptOf, type ModelWorkbench } from '../support/modelWorkbench.js';
import type { Reply } from '../support/modelServer.js';

describe('a model that is to be had over the Responses API only', () => {
  let workbench: ModelWorkbench;
  beforeAll(async () => {
    workbench = await openWithModel({ workspace: { 'tea.txt': 'Green, 80 degrees.\n' } });
  });
  afterAll(() => workbench?.close());

  it('is asked there after one refusal, thinks, reads a file and answers, and nobody sees the refusal', async () => {
    const message = 'This model is only supported in v1/responses and not in v1/chat/completions.';
    const replies: Reply[] = [
      { thinking: 'The file says it.', toolCalls: [{ name: 'read_file', args: { path: 'tea.txt' } }] },
      { thinking: 'Eighty.', text: 'At **80** degrees.' },
    ];
    workbench.model.setScript((request) =>
      request.path.endsWith('/chat/completions')
        ? { status: 404, body: { error: { message } } }
        : (replies.shift() ?? { text: 'Nothing more.' }),
    );
    const chat = await workbench.openChat();
    await workbench.ask('How hot is the tea?');
    await toolCard(chat, 'read_file', 'ok').waitFor();
    const said = await transcriptOf(chat);
    expect(said.join('\n')).toContain('At 80 degrees.');
    expect(said.join('\n')).not.toContain('chat/completions');
    const { requests } = workbench.model;
    expect(requests.map(({ path }) => path)).toEqual(['/v1/chat/completions', '/v1/responses', '/v1/responses']);
    expect(JSON.stringify(requests[2]?.body['input'])).toContain('sealed(The file says it.)');
    await workbench.screenshot('responses');
  });
});
