import type { Command, Option } from 'commander';
import { printExactly } from '../../terminal/output.ts';

/** `completion`: a script that is made of all declared commands. */
export const completion = (shell: 'bash' | 'zsh', _options: unknown, command: Command): Promise<void> => {
  const program = command.parent ?? command;
  printExactly(shell === 'bash' ? bashScript(program) : zshScript(program));
  return Promise.resolve();
};

/** zsh takes completions of bash by a module of its own. */
const zshScript = (program: Command): string => `autoload -Uz bashcompinit && bashcompinit\n${bashScript(program)}`;

/**
 * `sofar` in the script is the command that stands there already, like `/source/show`; `path`, `words` and `options` are variables
 * of zsh. Where nothing is offered, the shell completes names of files (`-o default`).
 */
function bashScript(program: Command): string {
  const commands = [...within(program, '')];
  const known = commands.filter(({ path }) => path !== '').map(({ path }) => path);
  const answers = commands.map(
    ({ path, words, options, names }) =>
      `    '${path}') offer='${words.join(' ')}' flags='${options.join(' ')}' names=${names} ;;`,
  );
  const values = commands.flatMap(({ path, valued }) =>
    valued.map(
      ({ flag, choices, names }) => `    '${path} ${flag}') offer='${choices.join(' ')}' flags= names=${names} ;;`,
    ),
  );
  return `# Completion of databridge, made by "databridge completion".
_databridge() {
  local word="\${COMP_WORDS[COMP_CWORD]}" before="\${COMP_WORDS[COMP_CWORD-1]}"
  local sofar= offer= flags= names= index
  for ((index = 1; index < COMP_CWORD; index++)); do
    case "$sofar/\${COMP_WORDS[index]}" in
      ${known.join('|')}) sofar="$sofar/\${COMP_WORDS[index]}" ;;
    esac
  done
  case "$sofar" in
${answers.join('\n')}
  esac
  case "$sofar $before" in
${values.join('\n')}
  esac
  if [[ "$word" == -* ]]; then
    offer="$flags"
  elif [[ -n "$names" ]]; then
    offer="$("\${COMP_WORDS[0]}" complete "$names" 2>/dev/null)"
  fi
  COMPREPLY=($(compgen -W "$offer" -- "$word"))
}
complete -o default -F _databridge databridge`;
}

interface Completed {
  readonly path: string;
  /** The commands that may follow, and the choices of an argument. */
  readonly words: readonly string[];
  readonly options: readonly string[];
  /** What `complete` is asked for; empty where an argument is no such name. */
  readonly names: string;
  readonly valued: readonly { readonly flag: string; readonly choices: readonly string[]; readonly names: string }[];
}

function* within(command: Command, path: string): Generator<Completed> {
  const help = command.createHelp();
  const children = help.visibleCommands(command);
  const options = help.visibleOptions(command);
  const [argument] = command.registeredArguments;
  yield {
    path,
    words: [...children.map((child) => child.name()), ...(argument?.argChoices ?? [])],
    options: options.flatMap(({ long, short }) => long ?? short ?? []),
    names: argument === undefined ? '' : namesFor(path, argument.name()),
    valued: options.filter(takesValue).map((option) => ({
      flag: option.long ?? '',
      choices: option.argChoices ?? [],
      names: namesFor(path, option.attributeName()),
    })),
  };
  for (const child of command.commands) if (children.includes(child)) yield* within(child, `${path}/${child.name()}`);
}

const takesValue = ({ required, optional }: Option): boolean => required || optional;

/** The kind of names that an argument or option takes, by its own name. */
function namesFor(path: string, name: string): string {
  if (['source', 'project', 'organisation', 'platform'].includes(name)) return `${name}s`;
  if (path === '/source/take-over' && name === 'from') return 'sources';
  return name === 'name' && path.startsWith('/source/') ? 'sources' : '';
}
