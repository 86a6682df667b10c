//! Hostile requests, none of which is served.

use live::Server;
use scene::Scene;
use std::cell::Cell;
use std::io::{Read, Write};
use std::net::TcpStream;
use std::time::{Duration, Instant};

const SCENE: &str = r#"
[run]
duration = 1.0

[integrator]
method = "backward-euler"
step = 0.01

[[body]]
shape = { generator = "bar", length = 1.0, thickness = 0.25, cells_along = 4, cells_across = 1 }
material = { model = "neo-hookean", young = 1e4, poisson = 0.4, density = 1000.0 }

[[fix]]
where = { group = "x-" }
"#;

fn server() -> Server {
    let scene = Scene::parse("hostile.toml", SCENE).unwrap_or_else(|problems| panic!("{problems}"));
    let built = scene.build().unwrap_or_else(|problems| panic!("{problems}"));
    Server::of_scene(scene, built, "pliant view hostile.toml", 0).unwrap()
}

/// Returns host with port, and token, of an address.
fn parts(server: &Server) -> (String, String) {
    let rest = server.address().strip_prefix("http://").unwrap();
    let (host, rest) = rest.split_once('/').unwrap();
    (host.to_string(), rest.trim_end_matches('/').to_string())
}

/// Sends bytes and returns the answer. A server that is silent for some seconds has closed the connection or is at
/// fault.
fn send(host: &str, bytes: &[u8]) -> String {
    let mut stream = TcpStream::connect(host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(8))).unwrap();
    // The server may close before all is sent: that is an answer too.
    let _ = stream.write_all(bytes);
    let mut back = Vec::new();
    let mut buffer = [0; 4096];
    loop {
        match stream.read(&mut buffer) {
            Ok(0) | Err(_) => break,
            Ok(n) => back.extend_from_slice(&buffer[..n]),
        }
        if whole(&back) {
            break;
        }
    }
    String::from_utf8_lossy(&back).into_owned()
}

/// Returns true if an answer is complete.
fn whole(bytes: &[u8]) -> bool {
    let text = String::from_utf8_lossy(bytes);
    let Some((head, _)) = text.split_once("\r\n\r\n") else { return false };
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length: ")).and_then(|n| n.parse::<usize>().ok());
    length.is_some_and(|length| bytes.len() >= head.len() + 4 + length)
}

fn get(host: &str, path: &str, headers: &str) -> Vec<u8> {
    format!("GET {path} HTTP/1.1\r\n{headers}Host: {host}\r\n\r\n").into_bytes()
}

fn post(host: &str, path: &str, headers: &str, body: &str) -> Vec<u8> {
    format!("POST {path} HTTP/1.1\r\nHost: {host}\r\n{headers}Content-Length: {}\r\n\r\n{body}", body.len())
        .into_bytes()
}

fn status(answer: &str) -> u16 {
    answer.split(' ').nth(1).and_then(|word| word.parse().ok()).unwrap_or(0)
}

#[test]
fn the_page_is_served_to_those_who_know_the_address() {
    let server = server();
    let (host, token) = parts(&server);
    let page = send(&host, &get(&host, &format!("/{token}/"), ""));
    assert_eq!(status(&page), 200, "{}", &page[..page.len().min(300)]);
    assert!(
        page.contains("pliant-report") && page.contains("connect-src 'self'") && !page.contains("connect-src 'none'")
    );
    assert!(page.contains("frame-ancestors 'none'") && page.contains("no-referrer") && page.contains("no-store"));
    let frames = send(&host, &get(&host, &format!("/{token}/frames?since=0"), "Sec-Fetch-Site: same-origin\r\n"));
    assert_eq!(status(&frames), 200);
    let ours = format!("Origin: http://{host}\r\nContent-Type: application/json\r\n");
    for command in
        [r#"{"do": "pause"}"#, r#"{"do": "step"}"#, r#"{"do": "reset"}"#, r#"{"do": "method", "name": "siere"}"#]
    {
        let answer = send(&host, &post(&host, &format!("/{token}/command"), &ours, command));
        assert_eq!(status(&answer), 200, "{command}: {answer}");
    }
    for answer in [&page, &frames] {
        assert!(!answer.to_lowercase().contains("access-control-"), "nobody else is told that he may read");
    }
}

#[test]
fn no_hostile_request_is_served() {
    let server = server();
    let (host, token) = parts(&server);
    let port = host.split_once(':').unwrap().1.to_string();
    let (t, origin) = (format!("/{token}"), format!("Origin: http://{host}\r\n"));
    let json = "Content-Type: application/json\r\n";
    let ours = format!("{origin}{json}");
    let pause = r#"{"do": "pause"}"#;
    let raw = |text: String| text.into_bytes();
    let mut wrong_token = token.clone().into_bytes();
    wrong_token[31] = if wrong_token[31] == b'0' { b'1' } else { b'0' };
    let wrong_token = String::from_utf8(wrong_token).unwrap();
    let page = format!("{t}/");
    let mut requests: Vec<(String, Vec<u8>, bool)> = Vec::new();
    // Bytes that are not HTTP need no answer. Nor does an answer always arrive if a connection is closed before all is
    // read.
    let no_http = Cell::new(false);
    let mut add = |name: &str, bytes: Vec<u8>| {
        let may_be_silent = no_http.get() || bytes.len() > 8 << 10;
        requests.push((name.to_string(), bytes, may_be_silent));
    };

    // Names that resolve to this address, and other hosts.
    for name in [
        "evil.example".to_string(),
        format!("evil.example:{port}"),
        format!("localhost:{port}"),
        "127.0.0.1".to_string(),
        "127.0.0.1:1".to_string(),
        format!("127.0.0.1.evil.example:{port}"),
        format!("[::1]:{port}"),
        format!("0.0.0.0:{port}"),
        format!("127.1:{port}"),
        format!("2130706433:{port}"),
        format!("{host}."),
        format!("user@{host}"),
        format!("{host}:80"),
        String::new(),
    ] {
        add(&format!("host {name:?}"), get(&name, &page, ""));
    }
    add("no host", raw(format!("GET {page} HTTP/1.1\r\n\r\n")));
    add("no host, old protocol", raw(format!("GET {page} HTTP/1.0\r\n\r\n")));
    add("two hosts", raw(format!("GET {page} HTTP/1.1\r\nHost: {host}\r\nHost: evil.example\r\n\r\n")));
    add("the same host twice", raw(format!("GET {page} HTTP/1.1\r\nHost: {host}\r\nHost: {host}\r\n\r\n")));

    // Missing or wrong tokens.
    for path in [
        "/".to_string(),
        "//".to_string(),
        "/frames?since=0".to_string(),
        "/command".to_string(),
        t.clone(),
        format!("/{wrong_token}/"),
        format!("/{}/", &token[..31]),
        format!("/{token}0/"),
        format!("/{}/", token.to_uppercase().replace(char::is_numeric, "A")),
        format!("/{}/", "0".repeat(32)),
        format!("/%{:02x}{}/", token.as_bytes()[0], &token[1..]),
        format!("//{token}/"),
        format!("/?token={token}"),
        format!("/x/../{token}/"),
        format!("/{token}%2f"),
    ] {
        add(&format!("path {path}"), get(&host, &path, ""));
    }
    add(
        "the token as a header",
        get(&host, "/", &format!("Authorization: Bearer {token}\r\nCookie: token={token}\r\n")),
    );

    // Files, and resources that do not exist.
    for path in [
        "/../../../etc/passwd",
        "/..%2f..%2fetc%2fpasswd",
        "/%2e%2e/%2e%2e/etc/passwd",
        "/....//etc/passwd",
        "/..\\..\\etc\\passwd",
        "/etc/passwd",
        "//etc/passwd",
        "/file:///etc/passwd",
        "/index.html",
        "/page.html",
        "/./",
        "/frames",
        "/frames/",
        "/frames?",
        "/frames?since=",
        "/frames?since=-1",
        "/frames?since=+1",
        "/frames?since=1e3",
        "/frames?since=99999999999999999999",
        "/frames?since=0&file=/etc/passwd",
        "/frames?since=0;x",
        "/frames?since=%30",
        "/frames?file=../../etc/passwd",
        "/?x",
        "/command?x",
        "/favicon.ico",
        "/.git/config",
        "/%00",
        "/frames%00?since=0",
    ] {
        add(&format!("place {path}"), get(&host, &format!("{t}{path}"), ""));
    }
    add("absolute address", get(&host, &format!("http://{host}{page}"), ""));
    add("absolute address elsewhere", get(&host, &format!("http://evil.example{page}"), ""));
    add("absolute address of a file", get(&host, "file:///etc/passwd", ""));
    add("a proxy's request", raw(format!("CONNECT evil.example:443 HTTP/1.1\r\nHost: {host}\r\n\r\n")));

    // Other pages.
    for site in
        ["http://evil.example", "null", "file://", "https://127.0.0.1", "http://localhost", "http://127.0.0.1", "", "*"]
    {
        add(&format!("origin {site:?}"), get(&host, &page, &format!("Origin: {site}\r\n")));
        add(
            &format!("command of {site:?}"),
            post(&host, &format!("{t}/command"), &format!("Origin: {site}\r\n{json}"), pause),
        );
    }
    add("two origins", get(&host, &page, &format!("{origin}{origin}")));
    for site in ["cross-site", "same-site", "weird"] {
        add(&format!("site {site}"), get(&host, &page, &format!("Sec-Fetch-Site: {site}\r\n")));
    }
    add("command of nobody", post(&host, &format!("{t}/command"), json, pause));

    // Requests that a foreign page may send without a preflight.
    for kind in [
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "application/json; charset=utf-8",
        "application/jsonx",
        "",
    ] {
        let headers = format!("{origin}Content-Type: {kind}\r\n");
        add(&format!("type {kind:?}"), post(&host, &format!("{t}/command"), &headers, pause));
    }
    add("no type", post(&host, &format!("{t}/command"), &origin, pause));
    add("two types", post(&host, &format!("{t}/command"), &format!("{ours}Content-Type: text/plain\r\n"), pause));

    // Other verbs.
    for verb in ["PUT", "DELETE", "HEAD", "OPTIONS", "TRACE", "PATCH", "PROPFIND", "get", "DEBUG"] {
        add(verb, raw(format!("{verb} {page} HTTP/1.1\r\nHost: {host}\r\n{origin}\r\n")));
    }
    add(
        "asking before",
        raw(format!(
            "OPTIONS {t}/command HTTP/1.1\r\nHost: {host}\r\nOrigin: http://evil.example\r\nAccess-Control-Request-Method: POST\r\n\r\n"
        )),
    );
    add("all of it", raw(format!("OPTIONS * HTTP/1.1\r\nHost: {host}\r\n\r\n")));
    add("get a command", get(&host, &format!("{t}/command"), &ours));
    add("post the page", post(&host, &page, &ours, pause));
    add("post frames", post(&host, &format!("{t}/frames?since=0"), &ours, pause));

    // Too much of anything.
    add("a huge path", get(&host, &format!("{page}{}", "a".repeat(100_000)), ""));
    add("a huge header", get(&host, &page, &format!("X: {}\r\n", "a".repeat(100_000))));
    add("many headers", get(&host, &page, &(0..500).map(|i| format!("X-{i}: 1\r\n")).collect::<String>()));
    add(
        "a huge body",
        post(
            &host,
            &format!("{t}/command"),
            &ours,
            &format!("{{\"do\": \"pause\", \"x\": \"{}\"}}", "a".repeat(1 << 20)),
        ),
    );
    add(
        "a body said to be huge",
        raw(format!("POST {t}/command HTTP/1.1\r\nHost: {host}\r\n{ours}Content-Length: 99999999999999\r\n\r\n{{}}")),
    );
    let chunked = format!("POST {t}/command HTTP/1.1\r\nHost: {host}\r\n{ours}Transfer-Encoding: chunked\r\n\r\n");
    add("a huge chunk", raw(format!("{chunked}fffffff\r\n{}", "a".repeat(10_000))));
    add(
        "a body that does not come",
        raw(format!("POST {t}/command HTTP/1.1\r\nHost: {host}\r\n{ours}Content-Length: 15\r\n\r\n{{")),
    );

    no_http.set(true);
    add(
        "two lengths",
        raw(format!(
            "POST {t}/command HTTP/1.1\r\nHost: {host}\r\n{ours}Content-Length: 15\r\nContent-Length: 16\r\n\r\n{pause}"
        )),
    );
    add(
        "a negative length",
        raw(format!("POST {t}/command HTTP/1.1\r\nHost: {host}\r\n{ours}Content-Length: -1\r\n\r\n{pause}")),
    );
    add(
        "a length that is none",
        raw(format!("POST {t}/command HTTP/1.1\r\nHost: {host}\r\n{ours}Content-Length: x\r\n\r\n{pause}")),
    );
    add("a wrong chunk", raw(format!("{chunked}zz\r\n{pause}\r\n0\r\n\r\n")));
    add("no version", raw(format!("GET {page}\r\n\r\n")));
    add("a wrong version", raw(format!("GET {page} HTTP/9.9\r\nHost: {host}\r\n\r\n")));
    add("another protocol", b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n".to_vec());
    add("encryption", b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03".iter().copied().cycle().take(600).collect());
    add("noise", (0..4096_u32).map(|i| (i.wrapping_mul(2_654_435_761) >> 13) as u8).collect());
    add("zeros", vec![0; 4096]);
    add("a line without an end", vec![b'A'; 60_000]);
    add("a header with a zero", raw(format!("GET {page} HTTP/1.1\r\nHost: {host}\r\nX: a\0b\r\n\r\n")));
    add("a folded header", raw(format!("GET {page} HTTP/1.1\r\nHost:\r\n {host}\r\n\r\n")));
    add("a space before the colon", raw(format!("GET {page} HTTP/1.1\r\nHost : {host}\r\n\r\n")));

    no_http.set(false);

    // Invalid commands.
    for body in [
        "",
        "{}",
        "[]",
        "null",
        "pause",
        "{\"do\": \"pause\"",
        r#"{"do": "quit"}"#,
        r#"{"do": "pause", "and": "more"}"#,
        r#"{"do": "pull", "point": -1, "to": [0, 0, 0]}"#,
        r#"{"do": "pull", "point": 1e99, "to": [0, 0, 0]}"#,
        r#"{"do": "pull", "point": 4000000000, "to": [0, 0, 0]}"#,
        r#"{"do": "pull", "point": 0, "to": [NaN, 0, 0]}"#,
        r#"{"do": "pull", "point": 0, "to": [1e308, 0, 0]}"#,
        r#"{"do": "pull", "point": 0, "to": [0, 0]}"#,
        r#"{"do": "method", "name": "no-such"}"#,
        r#"{"do": "method", "name": "../../etc/passwd"}"#,
        r#"{"do": "method", "name": ""}"#,
        r#"{"do": "speed", "factor": 0}"#,
        r#"{"do": "speed", "factor": 1e300}"#,
        "\u{feff}{}",
        "{\"do\": \"pause\\u0000\"}",
    ] {
        add(&format!("command {body}"), post(&host, &format!("{t}/command"), &ours, body));
    }

    assert!(requests.len() >= 120, "{}", requests.len());
    for chunk in requests.chunks(16) {
        std::thread::scope(|scope| {
            for (name, bytes, may_be_silent) in chunk {
                let host = &host;
                scope.spawn(move || {
                    let answer = send(host, bytes);
                    let status = status(&answer);
                    let is_refused = (400..500).contains(&status) || (status == 0 && *may_be_silent);
                    assert!(is_refused, "{name} got {status}");
                    for secret in ["pliant-report", "root:", "access-control-allow"] {
                        assert!(!answer.to_lowercase().contains(secret), "{name} was told {secret}");
                    }
                });
            }
        });
    }
    println!("{} hostile requests, none served", requests.len());
    // None of this has changed the page.
    assert_eq!(status(&send(&host, &get(&host, &page, ""))), 200);
    // Nor the computation: it continues, was not reset, and has its method, its speed and no hand.
    let frames = send(&host, &get(&host, &format!("{t}/frames?since=0"), ""));
    for fact in [
        r#""running":true"#,
        r#""epoch":0"#,
        r#""method":"backward-euler""#,
        r#""speed":1.0"#,
        r#""pulled":null"#,
        r#""diverged":null"#,
    ] {
        assert!(frames.contains(fact), "{fact}: {}", &frames[..frames.len().min(1000)]);
    }
}

#[test]
fn a_refusal_closes_the_connection() {
    let server = server();
    let (host, token) = parts(&server);
    let mut stream = TcpStream::connect(&host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    // Together, so that the second arrives before the first is answered.
    stream.write_all(&[get(&host, "/", ""), get(&host, "/", "")].concat()).unwrap();
    let mut back = Vec::new();
    // A connection that is closed with something unread may end with an error.
    let _ = stream.read_to_end(&mut back);
    let back = String::from_utf8_lossy(&back);
    assert_eq!((status(&back), back.matches("HTTP/1.1").count()), (404, 1), "{back}");
    // An admitted client keeps its connection.
    let mut stream = TcpStream::connect(&host).unwrap();
    stream.set_read_timeout(Some(Duration::from_secs(30))).unwrap();
    for _ in 0..2 {
        stream.write_all(&get(&host, &format!("/{token}/frames?since=0"), "")).unwrap();
        let (mut back, mut buffer) = (Vec::new(), [0; 4096]);
        while !whole(&back) {
            let n = stream.read(&mut buffer).unwrap();
            assert!(n > 0, "it was closed");
            back.extend_from_slice(&buffer[..n]);
        }
    }
}

#[test]
fn whoever_is_slow_is_not_waited_for() {
    let server = server();
    let (host, token) = parts(&server);
    let begin = Instant::now();
    let mut slow = TcpStream::connect(&host).unwrap();
    slow.set_read_timeout(Some(Duration::from_millis(200))).unwrap();
    slow.write_all(format!("GET /{token}/ HTTP/1.1\r\nHost: {host}\r\n").as_bytes()).unwrap();
    let mut buffer = [0; 100];
    let closed = loop {
        assert!(begin.elapsed() < Duration::from_secs(20), "a connection that sends a letter at a time lives on");
        match slow.read(&mut buffer) {
            Ok(_) => break true,
            Err(error) if matches!(error.kind(), std::io::ErrorKind::WouldBlock | std::io::ErrorKind::TimedOut) => {
                if slow.write_all(b"X").is_err() {
                    break true;
                }
            }
            Err(_) => break true,
        }
    };
    assert!(closed && begin.elapsed() > Duration::from_secs(1));
}

#[test]
fn many_connections_do_not_keep_the_page_out_for_long() {
    let server = server();
    let (host, token) = parts(&server);
    let _crowd: Vec<TcpStream> = (0..200).filter_map(|_| TcpStream::connect(&host).ok()).collect();
    let begin = Instant::now();
    while status(&send(&host, &get(&host, &format!("/{token}/"), ""))) != 200 {
        assert!(begin.elapsed() < Duration::from_secs(20), "the crowd is let stay");
        std::thread::sleep(Duration::from_millis(100));
    }
}
