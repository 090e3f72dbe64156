/** The port of the API where DATABRIDGE_API_PORT names no other. */
export const API_PORT = 8080;
