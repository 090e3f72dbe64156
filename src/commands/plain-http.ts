const LOOPBACK = /^http:\/\/(?:localhost|127\.[\d.]+|\[::1\])(?:[:/]|$)/i;

/** Whether what is sent to an address can be read by everybody on the way: plain HTTP to another host. */
export const travelsInClear = (url: string): boolean => /^http:/i.test(url) && !LOOPBACK.test(url);
