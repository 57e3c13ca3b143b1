/** The host as the page sees it: calls, streams and the state of the connection. */
export { type Client, type ClientOptions, type ConnectionState, connect } from './client.ts';
export type { FrameInfo, StreamHandle, StreamReader } from './stream-reader.ts';
