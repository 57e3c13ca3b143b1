/** The script that every task of an array runs. Its shell hears the warning before the limit, and lets Slurm go on later. */

/** A word for a shell. */
export const quoted = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`;

/** Most restarts of a task that makes no progress. */
const MOST_RESTARTS = 3;

/**
 * `program`: the words that call the command line's `study task` for the study and the tag. `progressLeft`: its exit code
 * when points are left and some have ended, so that it is worth another go.
 */
export function taskScript(program: readonly string[], progressLeft: number): string {
  return `#!/bin/bash
# Made by Braggbench. Results are files: a task that is begun again does what has none.
requeue() {
  kill -TERM "$child" 2>/dev/null
  wait "$child"
  code=$?
  if [ "$code" = ${progressLeft} ] || [ "\${SLURM_RESTART_COUNT:-0}" -lt ${MOST_RESTARTS} ]; then
    scontrol requeue "\${SLURM_ARRAY_JOB_ID}_\${SLURM_ARRAY_TASK_ID}"
  fi
  exit "$code"
}
trap requeue USR1
${program.map(quoted).join(' ')} &
child=$!
wait "$child"
`;
}
