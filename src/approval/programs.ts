import type { SimpleCommand } from './shellTypes.js';

/** What is known of programs by their names. Names are compared in lower case, because some disks do not tell case apart. */

const SHELLS = 'sh bash dash zsh ksh mksh ash rbash'.split(' ');
const OTHER_SHELLS = 'fish csh tcsh pwsh powershell cmd nu xonsh elvish'.split(' ');
const INTERPRETERS =
  'node nodejs deno bun python pypy ruby perl php lua luajit r rscript julia java jshell groovy scala kotlin swift osascript tclsh wish expect awk gawk mawk nawk sed ed ex vi vim nvim emacs ts-node tsx irb pry ghci ipython sqlite3 psql mysql mongosh redis-cli gdb lldb m4'.split(
    ' ',
  );
const NETWORK =
  'curl wget ssh scp sftp rsync nc ncat netcat socat telnet ftp tftp http https xh aria2c aria2 gh glab aws gcloud gsutil az kubectl helm docker podman nerdctl heroku fly flyctl vercel netlify firebase wrangler terraform tofu pulumi ansible ansible-playbook ping dig nslookup host openssl mail sendmail mutt lynx w3m links'.split(
    ' ',
  );
const RUNNERS =
  'env xargs find fd eval exec command builtin source . sudo su doas pkexec runuser nohup nice ionice timeout time stdbuf setsid watch parallel screen tmux script strace ltrace busybox toybox npx pnpx bunx uvx pipx chroot flock unshare nsenter systemd-run at batch crontab trap alias shopt set export declare typeset local readonly unset hash enable bind complete mapfile readarray read printf coproc entr direnv make gmake ninja just task rake cd pushd popd rm dd tee tar git-shell'.split(
    ' ',
  );
const DOWNLOADERS = 'curl wget aria2c aria2 http https xh lynx w3m iwr irm invoke-webrequest invoke-restmethod'.split(
  ' ',
);
const READERS =
  'cat head tail less more bat grep egrep fgrep rg ag wc ls tree stat file diff cmp md5sum sha1sum sha256sum shasum jq yq du sort uniq cut nl od xxd hexdump strings readlink realpath basename dirname test [ [[ echo printf get-content gc type select-string get-childitem dir'.split(
    ' ',
  );

/** The program's name: without folders and Windows' endings, in lower case. */
function programName(text: string): string {
  const base = text.slice(Math.max(text.lastIndexOf('/'), text.lastIndexOf('\\')) + 1).toLowerCase();
  return base.replace(/\.(exe|cmd|bat|com)$/, '');
}

/** The name of the program a command runs, or undefined where it is not known or there is none. */
export function nameOf(command: SimpleCommand): string | undefined {
  const first = command.words[0];
  return first && !first.dynamic && !first.pattern ? programName(first.text) : undefined;
}

/** Versions count as the program itself: `python3.12` is `python`. */
function listed(list: string[], name: string): boolean {
  return list.includes(name) || list.includes(name.replace(/[-\d.]+$/, ''));
}

/** A shell that takes POSIX lines. */
export const isShell = (name: string): boolean => listed(SHELLS, name);

/** Anything that runs the text it is given: shells, languages, editors that take commands. */
export const isInterpreter = (name: string): boolean =>
  isShell(name) || listed(OTHER_SHELLS, name) || listed(INTERPRETERS, name);

export const isDownloader = (name: string): boolean => listed(DOWNLOADERS, name);

/** Programs that only read the files they are given (without the options that `riskyOption` knows). */
export const isReader = (name: string): boolean => READERS.includes(name);

/** Programs for which "commands that start with …" is never offered. */
export const neverByPrefix = (name: string): boolean =>
  isInterpreter(name) || listed(NETWORK, name) || listed(RUNNERS, name);
