/** The port of the API where DATABRIDGE_API_PORT names no other. */
export const API_PORT = 8080;

/** The port of the operator API where DATABRIDGE_OPERATOR_PORT names no other. */
export const OPERATOR_PORT = 8081;
