import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import ranks from 'js-tiktoken/ranks/cl100k_base';
import { describe, expect, it } from 'vitest';
import { estimateText } from '../../../src/memory/tokens.js';
import { Tokenizer } from '../../../src/memory/tokenizer.js';

const tokenizer = new Tokenizer(ranks);
const source = (path: string) => readFileSync(join(import.meta.dirname, '../../..', path), 'utf8');

describe('the estimate', () => {
  it.each([
    ['prose', source('README.md'), 0.8],
    ['code', source('src/app.ts'), 0.8],
    ['JSON', source('package.json'), 0.8],
    ['German', 'Die Größe der Dateien wird täglich geprüft, und die Person erhält eine Nachricht darüber.', 0.8],
    ['Russian', 'Сегодня мы обсуждали проект и решили, что все тесты должны проходить до конца недели.', 0.8],
    ['Chinese', '今天我们讨论了这个项目，决定所有的测试必须在本周结束之前通过，否则发布将会推迟。', 0.8],
    ['Japanese', '今日はプロジェクトについて話し合い、週末までにすべてのテストに合格しなければならない。', 0.7],
    ['Korean', '오늘 우리는 프로젝트에 대해 논의하고 모든 테스트가 이번 주말까지 통과해야 한다고 결정했습니다.', 0.7],
    ['Hindi', 'आज हमने परियोजना पर चर्चा की और तय किया कि सभी परीक्षण सप्ताह के अंत तक पास होने चाहिए।', 0.7],
    ['Greek', 'Σήμερα συζητήσαμε το έργο και αποφασίσαμε ότι όλες οι δοκιμές πρέπει να περάσουν.', 0.55],
  ])('is near the tokenizer’s number for %s', (_what, text, least) => {
    const share = estimateText(text) / tokenizer.count(text);
    expect(share).toBeGreaterThan(least);
    expect(share).toBeLessThan(1.3);
  });

  it('is nothing for nothing', () => {
    expect(estimateText('')).toBe(0);
  });
});
