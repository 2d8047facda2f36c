import { describe, expect, it } from 'vitest';
import { Proposals } from '../../../src/agent/proposals.js';
import { served } from '../../support/served.js';

const proposal = { path: '/work/a.txt', label: 'a.txt', text: 'one\r\ntwo\r\n' };

describe('texts that wait for Allow', () => {
  it('are written as the person left them; line ends alone are no change', () => {
    const proposals = new Proposals();
    proposals.offer('a1', 'vscode:one', [proposal]);
    expect(proposals.text('a1', '/work/a.txt')).toBe(proposal.text);
    expect(proposals.amend('a1', '/work/a.txt', 'mine\n')).toBe(true);
    expect(proposals.text('a1', '/work/a.txt')).toBe('mine\n');
    expect(proposals.amend('a1', '/work/a.txt', 'one\ntwo\n')).toBe(true);
    expect([...proposals.end('a1')]).toEqual([]);
  });

  it('are not there any more once they are decided on', () => {
    const proposals = new Proposals();
    const ended: string[] = [];
    proposals.onEnd((id) => void ended.push(id));
    proposals.offer('a1', 'vscode:one', [proposal]);
    expect(proposals.amend('a1', '/work/other.txt', 'x')).toBe(false);
    proposals.amend('a1', '/work/a.txt', 'mine\n');
    expect([...proposals.end('a1')]).toEqual([['/work/a.txt', 'mine\n']]);
    expect(proposals.amend('a1', '/work/a.txt', 'late\n')).toBe(false);
    expect(proposals.find('a1')).toBeUndefined();
    expect(ended).toEqual(['a1']);
  });

  it('are told to the model with what the person changed', async () => {
    const { lab, server } = await served(
      [
        { toolCalls: [{ name: 'read_file', args: { path: 'a.txt' } }] },
        { toolCalls: [{ name: 'edit_file', args: { path: 'a.txt', edits: [{ old_text: 'b', new_text: 'B' }] } }] },
        { text: 'Done.' },
      ],
      {
        files: { 'a.txt': 'a\nb\nc\n' },
        settings: { approveEdits: 'before' },
        approve: ({ id, proposals }) => {
          const [file] = proposals ?? [];
          expect(file?.label).toBe('a.txt');
          lab.app.proposals.amend(id, file?.path ?? '', 'a\nmine\nc\n');
          return { kind: 'allow' };
        },
      },
    );
    await lab.say('edit it');
    expect(lab.text('a.txt')).toBe('a\nmine\nc\n');
    const told = JSON.stringify(server.requests.at(-1)?.body.messages.at(-1));
    expect(told).toContain('The person changed your proposal before they allowed it');
    expect(told).toContain('-B\\n+mine');
  });
});
