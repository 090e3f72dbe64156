const LEAST = 12;
const MOST = 128;

/** Passwords of at least twelve characters that are tried first by anybody who guesses. Others of their kind are found by `isPattern`. */
const COMMON = new Set(
  (
    'password1234 password12345 password123456 passwordpassword passw0rd1234 p@ssw0rd1234 p@ssword1234 mypassword123 ' +
    'changeme1234 changeme12345 changemechangeme letmein12345 letmeinletmein welcome12345 welcome123456 welcomewelcome ' +
    'administrator administrator1 administrator123 adminadminadmin adminpassword admin1234567 admin12345678 rootroot1234 ' +
    'qwertyuiop12 qwertyuiop123 qwerty123456 qwerty1234567 qwertyqwerty qwertyuiopas qwertyuiopasdf asdfghjklqwe 1q2w3e4r5t6y ' +
    '1qaz2wsx3edc 1qaz2wsx3edc4rfv zaq12wsxcde3 q1w2e3r4t5y6 iloveyou1234 iloveyouforever sunshine1234 princess1234 ' +
    'football1234 baseball1234 superman1234 batman123456 dragon123456 monkey123456 master123456 michael12345 trustno1trustno1 ' +
    'correcthorsebatterystaple abcdefghijkl abcd12345678 abc123456789 123456789abc 1234567890ab a1b2c3d4e5f6 123qweasdzxc ' +
    'databridge123 databridge1234 databridgedatabridge secretsecret secret123456 default12345 testtesttest test12345678 ' +
    'summer202020 winter202020 companyname1 plant1234567 operator1234 operatoroperator maintenance1 maintenance123'
  ).split(' '),
);

/** One character, or a run of digits or letters up or down, over and over. */
function isPattern(text: string): boolean {
  const steps = new Set<number>();
  for (let index = 1; index < text.length; index += 1) {
    const step = text.charCodeAt(index) - text.charCodeAt(index - 1);
    // 9 is followed by 0.
    steps.add(step === -9 ? 1 : step === 9 ? -1 : step);
  }
  return steps.size === 1 && [0, 1, -1].includes([...steps][0] as number);
}

/**
 * Why an operator of this name may not have a password; undefined where it may. Length alone makes a password strong, so there is
 * no rule on its characters (OWASP ASVS 5, 6.2).
 */
export function faultOfPassword(password: string, name: string): string | undefined {
  const length = Array.from(password).length;
  if (!password.isWellFormed()) return 'it is no valid text';
  if (length < LEAST) return `it has ${length} characters, and needs at least ${LEAST}`;
  if (length > MOST) return `it has ${length} characters, and may have at most ${MOST}`;
  const lower = password.toLowerCase();
  if (COMMON.has(lower) || isPattern(lower)) return 'it is one of those that are guessed first';
  if (lower.replaceAll(name.toLowerCase(), '').length < 4) return 'it is the name of the operator';
  return undefined;
}
