//! HTTP to model providers: addresses, keys, connections, time-outs, retries.
