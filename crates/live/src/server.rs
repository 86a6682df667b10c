//! HTTP server: one thread, the loopback address, few connections, each for a limited time.

use crate::answer::answer;
use crate::board::Board;
use crate::feed::Feed;
use crate::gate::Gate;
use crate::token::Token;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::{TokioIo, TokioTimer};
use std::fmt;
use std::io;
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::atomic::Ordering;
use std::sync::{Arc, Weak};
use std::thread::JoinHandle;
use std::time::Duration;
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::{Semaphore, oneshot};
use tokio::time::{sleep, timeout};

/// Limit of simultaneous connections; a page needs three.
const MOST_CONNECTIONS: usize = 32;
/// Longest time for the head of a request to arrive.
const HEAD: Duration = Duration::from_secs(3);
/// Limit of the head of a request: bytes and number of headers.
const LARGEST_HEAD: (usize, usize) = (16 << 10, 64);
/// Longest use of a connection, and the time that current requests may then take.
const LIFE: [Duration; 2] = [Duration::from_secs(60), Duration::from_secs(15)];

/// Reason why there is no server.
#[derive(Debug)]
pub enum LiveError {
    /// The port is not available.
    Port {
        /// The port.
        port: u16,
        /// Error of the system.
        error: io::Error,
    },
    /// There are no random numbers for the token.
    Random(String),
    /// A thread or its runtime cannot be started.
    Thread(io::Error),
}

impl fmt::Display for LiveError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            LiveError::Port { port, error } => {
                write!(f, "port {port} of 127.0.0.1 cannot be had ({error}); use another --port, or 0 for any")
            }
            LiveError::Random(error) => {
                write!(
                    f,
                    "the system gives no random numbers ({error}), without which others could read; mend that first"
                )
            }
            LiveError::Thread(error) => write!(f, "no thread can be started ({error}); end other programs first"),
        }
    }
}

impl std::error::Error for LiveError {}

/// A server that answers until it is dropped.
pub struct Server {
    address: String,
    /// Weak reference: workers end when the feed drops the board.
    board: Weak<Board>,
    stop: Option<oneshot::Sender<()>>,
    threads: Vec<JoinHandle<()>>,
}

impl Server {
    /// Serves a feed at a port of the loopback address, or at any free one for 0. `worker` is the thread that fills the
    /// feed; it ends when the feed is dropped.
    pub(crate) fn start(feed: Feed, port: u16, worker: JoinHandle<()>) -> Result<Server, LiveError> {
        let wrong = |error| LiveError::Port { port, error };
        let token = Token::new().map_err(|error| LiveError::Random(error.to_string()))?;
        let listener = std::net::TcpListener::bind(SocketAddr::from((Ipv4Addr::LOCALHOST, port))).map_err(wrong)?;
        listener.set_nonblocking(true).map_err(wrong)?;
        let gate = Gate::new(token, listener.local_addr().map_err(wrong)?.port());
        let address = gate.address();
        let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build().map_err(LiveError::Thread)?;
        let listener = runtime.block_on(async { TcpListener::from_std(listener) }).map_err(wrong)?;
        let (stop, stopped) = oneshot::channel::<()>();
        let board = Arc::downgrade(&feed.board);
        let serve = move || {
            runtime.block_on(async move {
                tokio::spawn(accept(listener, Arc::new(gate), Arc::new(feed)));
                // Nothing is sent: dropping the channel is the signal.
                let _ = stopped.await;
            });
            // Current requests are dropped with the runtime.
            runtime.shutdown_timeout(Duration::from_secs(1));
        };
        let thread = std::thread::Builder::new().name("server".to_string()).spawn(serve).map_err(LiveError::Thread)?;
        Ok(Server { address, board, stop: Some(stop), threads: vec![thread, worker] })
    }

    /// Returns the address of the page, including the token.
    pub fn address(&self) -> &str {
        &self.address
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        // Stops the current step, then the server, which owns the feed; the worker ends without it.
        if let Some(board) = self.board.upgrade() {
            board.is_closing.store(true, Ordering::Relaxed);
        }
        drop(self.stop.take());
        self.threads.drain(..).for_each(|thread| drop(thread.join()));
    }
}

async fn accept(listener: TcpListener, gate: Arc<Gate>, feed: Arc<Feed>) {
    let free = Arc::new(Semaphore::new(MOST_CONNECTIONS));
    loop {
        match listener.accept().await {
            Ok((stream, from)) if from.ip().is_loopback() => {
                // Connections beyond the limit are closed at once.
                let Ok(permit) = free.clone().try_acquire_owned() else { continue };
                let (gate, feed) = (gate.clone(), feed.clone());
                tokio::spawn(async move {
                    converse(stream, gate, feed).await;
                    drop(permit);
                });
            }
            Ok(_) => {}
            // Too many open files: some will be closed.
            Err(_) => sleep(Duration::from_millis(50)).await,
        }
    }
}

async fn converse(stream: TcpStream, gate: Arc<Gate>, feed: Arc<Feed>) {
    // Frames are small and should arrive at once.
    let _ = stream.set_nodelay(true);
    let service = service_fn(move |request| answer(gate.clone(), feed.clone(), request));
    let mut builder = http1::Builder::new();
    builder.timer(TokioTimer::new()).header_read_timeout(HEAD);
    builder.max_buf_size(LARGEST_HEAD.0).max_headers(LARGEST_HEAD.1);
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    let [life, rest] = LIFE;
    if timeout(life, connection.as_mut()).await.is_err() {
        connection.as_mut().graceful_shutdown();
        let _ = timeout(rest, connection).await;
    }
}
