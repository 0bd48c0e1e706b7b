//! Checks that a request is meant for this server, and not for another name that resolves to it.
//!
//! Any page can have its own name resolve to this machine, and then shares an origin with this server. So requests for
//! other names are refused. Requests that change something are accepted only from this server's own pages, and from
//! clients that are not browsers and send no origin.

use std::net::IpAddr;

use axum::extract::Request;
use axum::http::header::{HOST, ORIGIN};
use axum::http::uri::Authority;
use axum::http::{HeaderName, StatusCode};

use super::refusal::Refusal;

/// The names that are the server's own.
#[derive(Debug)]
pub(super) struct Hosts {
    address: IpAddr,
    names: Vec<String>,
}

impl Hosts {
    /// Creates the check for a server that listens at this address and has these other names.
    pub(super) fn new(address: IpAddr, names: Vec<String>) -> Self {
        Self { address, names }
    }

    /// Refuses a request for another host, or from another site's page.
    pub(super) fn check(&self, request: &Request) -> Result<(), Refusal> {
        let Some(host) = one(request, &HOST).map_err(|()| unclear())? else { return Err(unclear()) };
        let meant = request.uri().authority().map(Authority::as_str);
        if !self.are_own(host) || meant.is_some_and(|meant| !self.are_own(meant)) {
            let words = "This server answers to localhost and to its own address only. Start it with --host NAME if it \
                         has another name.";
            return Err(Refusal::new(StatusCode::MISDIRECTED_REQUEST, "foreign_host", words));
        }
        let foreign = || Refusal::new(StatusCode::FORBIDDEN, "foreign_origin", "This comes from another site's page.");
        match one(request, &ORIGIN).map_err(|()| foreign())? {
            Some(origin) if !request.method().is_safe() && !self.is_page(origin, host) => Err(foreign()),
            _ => Ok(()),
        }
    }

    /// Returns true if a host, with its port if it has one, is this server.
    fn are_own(&self, host: &str) -> bool {
        let Some(name) = name_of(host) else { return false };
        let address = name.strip_prefix('[').and_then(|name| name.strip_suffix(']')).unwrap_or(&name);
        match address.parse::<IpAddr>() {
            // An address can't be another site's name. A server that listens at all addresses has each of them.
            Ok(address) => {
                let (address, own) = (address.to_canonical(), self.address.to_canonical());
                address.is_loopback() || address == own || own.is_unspecified()
            }
            Err(_) => name.eq_ignore_ascii_case("localhost") || self.is_named(&name),
        }
    }

    /// Returns true if an origin is that of this server's pages. A proxy may have changed the host.
    fn is_page(&self, origin: &str, host: &str) -> bool {
        let Some((_, origin)) = origin.split_once("://").filter(|(scheme, _)| matches!(*scheme, "http" | "https"))
        else {
            return false;
        };
        origin.eq_ignore_ascii_case(host) || name_of(origin).is_some_and(|name| self.is_named(&name))
    }

    fn is_named(&self, name: &str) -> bool {
        self.names.iter().any(|own| own.eq_ignore_ascii_case(name))
    }
}

/// Returns a header's value. Fails if it is repeated or not text.
fn one<'r>(request: &'r Request, name: &HeaderName) -> Result<Option<&'r str>, ()> {
    let mut values = request.headers().get_all(name).iter();
    match (values.next(), values.next()) {
        (None, _) => Ok(None),
        (Some(value), None) => value.to_str().map(Some).map_err(|_| ()),
        (Some(_), Some(_)) => Err(()),
    }
}

fn unclear() -> Refusal {
    Refusal::new(StatusCode::BAD_REQUEST, "bad_host", "The request does not say, or not once, which host it is for.")
}

/// Returns the name in a host and port.
fn name_of(host: &str) -> Option<String> {
    let authority = Authority::try_from(host).ok().filter(|_| !host.contains('@'))?;
    let has_port = authority.as_str().len() > authority.host().len();
    (!has_port || authority.port_u16().is_some()).then(|| authority.host().to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_server_knows_its_own_names() {
        let own = |address: &str, host: &str| {
            Hosts::new(address.parse().unwrap(), vec!["chat.example".to_owned()]).are_own(host)
        };
        let all = "localhost|LOCALHOST:8080|127.0.0.1:8080|127.8.9.1|[::1]|[::1]:80|[::ffff:127.0.0.1]:1|\
            chat.example:443|Chat.Example";
        for host in all.split('|') {
            assert!(own("127.0.0.1", host) && own("::1", host) && own("192.168.1.7", host), "{host}");
        }
        let others = "|:|:8080|evil.example|evil.example:8080|localhost.evil.example|localhost:evil.example|\
            127.0.0.1.evil.example|evil.example@localhost|localhost@evil.example|localhost:|localhost:99999|\
            127.1|0x7f.0.0.1|0.0.0.0|[::]|[::1|::1|192.168.1.8|localhost/|localhost |localhost.|notlocalhost|\
            local host|a.chat.example|\u{1}";
        for host in others.split('|') {
            assert!(!own("127.0.0.1", host) && !own("192.168.1.7", host), "{host}");
        }
        assert!(own("192.168.1.7", "192.168.1.7:8080") && own("0.0.0.0", "192.168.1.8") && own("::", "[fe80::1]:80"));
        assert!(!own("0.0.0.0", "evil.example") && !own("::", "evil.example:8080"));
    }
}
