/** A kind of problem: status, title, meaning and remedy. */
type Kind = readonly [status: number, title: string, meaning: string, remedy: string];

/** The error answers of the API, except those of the token endpoint. The page of a problem comes from here, too. */
export const PROBLEMS = {
  'bad-request': [
    400,
    'The request cannot be understood',
    'The request line, a header or the packing of the body is malformed, or the connection ended early.',
    'Read the detail, and look at the bytes that your program sends. The same request will be refused again.',
  ],
  'bad-query': [
    400,
    'A parameter of the query is wrong',
    'A parameter behind the ? of the address is unknown, misspelt or has a value that it may not have.',
    'Compare the parameter that the detail names with the reference.',
  ],
  'not-json': [
    400,
    'The body is not JSON',
    'The body is not UTF-8, or the JSON parser stopped at the character that the detail names. NaN and single quotes are not JSON.',
    'Let a JSON library write the body, and send it in UTF-8.',
  ],
  'not-an-array': [
    400,
    'The body is not a JSON array',
    'The body is JSON, but its outermost value is not an array.',
    'Send an array of readings, also for a single reading.',
  ],
  'too-deep': [
    400,
    'The body is nested too deeply',
    'A body of readings has three levels of arrays and objects; this one has more than the API takes.',
    'Leave out the nested field: a reading has none.',
  ],
  'invalid-token': [
    401,
    'The access token is not accepted',
    'The access token is missing, has expired, was withdrawn, or was not issued by this service.',
    'Renew the token with its refresh token, or create a new one, and send the same request again.',
  ],
  forbidden: [
    403,
    'The access token is not for this organisation or project',
    'The token is valid, but the application that it belongs to may not use this organisation or project.',
    'Correct the address, or ask the operator for an application with this project.',
  ],
  'not-found': [
    404,
    'There is no such path',
    'The API has nothing at this path.',
    'Compare the path with the reference.',
  ],
  'unknown-project': [
    404,
    'There is no such organisation or ML project',
    'The organisation or the project code of the path does not exist.',
    'Compare both with what the operator gave you; upper and lower case differ.',
  ],
  'method-not-allowed': [
    405,
    'The method is not allowed here',
    'The path exists, but not for this method.',
    'Use a method that the header Allow names.',
  ],
  'too-slow': [
    408,
    'The request took too long to arrive',
    'The headers or the body did not arrive in the time that the operator allows.',
    'Send smaller bodies, or look at the line. Nothing of the body was stored.',
  ],
  'body-too-large': [
    413,
    'The body is too large',
    'The body has more bytes than the operator allows, counted after unpacking.',
    'Send the readings in several bodies. Nothing of the body was stored.',
  ],
  'too-many-readings': [
    413,
    'The body holds too many readings',
    'The body has more elements than the operator allows.',
    'Send the readings in several bodies. Nothing of the body was stored.',
  ],
  'too-many-values': [
    413,
    'The body holds too many values',
    'The body has very many fields, labels, objects or different names of fields for its number of readings.',
    'Leave out fields that no reading has, or send several bodies. Nothing of the body was stored.',
  ],
  'unsupported-media-type': [
    415,
    'The content type is not supported',
    'The body is not declared as application/json in UTF-8.',
    'Send the header Content-Type: application/json.',
  ],
  'unsupported-encoding': [
    415,
    'The content encoding is not supported',
    'The body is packed in a way that the API does not unpack, or with a window of zstd that is too large.',
    'Use a packing that the header Accept-Encoding of the answer names, or send the body as it is.',
  ],
  'headers-too-large': [
    431,
    'The headers are too large',
    'Request line and headers have more than 16 kB together.',
    'Leave out cookies and headers that the API does not need.',
  ],
  'too-many-failures': [
    429,
    'Too many failed authentications',
    'Many requests of this address had an invalid token.',
    'Wait as long as Retry-After says, and create a new token before you go on.',
  ],
  'too-many-requests': [
    429,
    'Too many requests',
    'The application asked more often than the header RateLimit-Policy allows.',
    'Wait as long as Retry-After says.',
  ],
  internal: [
    500,
    'Something is wrong with the service',
    'The service met an error of its own.',
    'Send the same request again: no reading is stored twice. If that does not help, give the operator the instance of the answer.',
  ],
  overloaded: [
    503,
    'The service has too much to do',
    'The memory for waiting readings is used up, the readings of the project cannot be handed over at present, or a count takes too long.',
    'Send the same request again after Retry-After seconds. A body is never stored in part.',
  ],
  'wrong-key': [
    503,
    'The service cannot open what it stored',
    'The secrets in the database of the service are sealed with a key that the service does not have.',
    'Tell the operator. Until then, send the same request again after Retry-After seconds.',
  ],
  'database-away': [
    503,
    'The service cannot store anything at present',
    'The database of the service does not answer.',
    'Send the same request again after Retry-After seconds: no reading is stored twice.',
  ],
} as const satisfies Readonly<Record<string, Kind>>;

export type ProblemName = keyof typeof PROBLEMS;

export const PROBLEM_NAMES = Object.keys(PROBLEMS) as readonly ProblemName[];

/** Where the pages of problems are. */
export const PROBLEM_PAGES = '/docs/problems';

/** What every `type` begins with where problems have no pages. */
export const PROBLEM_URN = 'urn:databridge:problem:';

/**
 * What every `type` begins with: the address of its page, or a URN where the operator switched the pages off. Without a
 * public address the type is a path of this service, which is a URI reference, too (RFC 9457, section 3.1.1).
 */
export const typeBaseOf = (settings: { readonly docs: boolean; readonly publicUrl: string | undefined }): string =>
  settings.docs ? `${settings.publicUrl ?? ''}${PROBLEM_PAGES}/` : PROBLEM_URN;
