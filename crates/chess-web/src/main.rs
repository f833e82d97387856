//! The command `chess-web`: a web page and an API over the games of a database.
//!
//! The path of a request: [`http`] accepts the connection and rejects what is not meant for this server, [`cache`] answers what
//! it has, [`routes`] finds the handler in [`api`] or [`saved`]. The handler reads the [`question`], waits for its turn, sends
//! a query to the [`database`], and answers with JSON and the SQL.
//!
//! Connection settings and TLS are in the crate `chess-db`, chess is in `chess-core`.

#![forbid(unsafe_code)]

mod api;
mod args;
mod cache;
mod database;
mod failure;
mod http;
mod log;
mod metrics;
mod question;
mod random;
mod routes;
mod saved;
mod uploads;

use std::fs;
use std::future::pending;
use std::io;
use std::net::SocketAddr;
use std::path::Path;
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use anyhow::{Context, Result, bail};
use axum::Router;
use chess_db::schema::Schema;
use chess_db::settings::Settings;
use clap::Parser;
use openssl::sha::sha256;
use tokio::net::TcpListener;
use tokio::signal::unix::{SignalKind, signal};
use tokio::time::timeout;

use api::app::App;
use api::engines::Engines;
use api::monitor;
use args::{Args, Games};
use cache::layer::Cache;
use database::inventory::InventoryCache;
use database::pool::{Access, Database};
use database::turns::Turns;
use http::assets;
use http::base::Base;
use http::guard::{self, Guard};
use http::listen::{self, Site};
use http::places::{Kind, Places};
use question::blocking::THREADS;
use saved::sessions::Sessions;
use saved::visitor::cookie_name;
use uploads::loader::Loader;
use uploads::queue::Uploads;
use uploads::spool::Spool;

fn main() -> ExitCode {
    match run(&Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("chess-web: {}", chess_db::errors::explained(error.as_ref()));
            ExitCode::FAILURE
        }
    }
}

/// Stack of a thread, in bytes: patterns and variations nest, and recursive functions read them. Unused pages cost nothing.
const STACK: usize = 32 << 20;

fn run(args: &Args) -> Result<()> {
    if args.places {
        print!("{}", args.list_places());
        return Ok(());
    }
    sources(args)?;
    log::begin();
    let rules = Arc::new(rules(args, places)?);
    let settings = Settings::new(args.database.as_deref(), "chess-web")?;
    let for_sessions = match &args.sessions {
        Some(other) => Settings::new(Some(other), "chess-web")?,
        None => settings.clone(),
    };
    let mut runtime = tokio::runtime::Builder::new_multi_thread();
    runtime.enable_all().thread_stack_size(STACK).build()?.block_on(async {
        let database = Database::new(&settings, Access::Read, places(args, Kind::Reading)?, args.timeout)?;
        let writing = |settings: &Settings, places| Database::new(settings, Access::Write, places, args.timeout);
        let sessions = args.places(Kind::Saving).map(|places| writing(&for_sessions, places)).transpose()?;
        let findings = args
            .places(Kind::Finding)
            .map(|places| writing(&Settings::new(writer(args).as_deref(), "chess-web")?, places));
        let (inventory, bases) = inventories(args, &database);
        let (listener, monitor) = listeners(args).await?;
        assets::prepare(&args.base_path);
        match timeout(PATIENCE, look(&database, sessions.as_ref(), &inventory, &bases)).await {
            Ok(found) => found?,
            Err(_) => tracing::warn!("the database does not answer yet; chess-web tries again with every request"),
        }
        if let Some(program) = args.engine.as_deref().filter(|program| chess_uci::process::find(program).is_none()) {
            tracing::warn!("engine {program} {}", chess_uci::EngineError::NotFound);
        }
        let end = end()?;
        println!("http://{}{}/", listener.local_addr()?, args.base_path);
        let inventories = [&[inventory.clone()][..], &bases].concat();
        let cache = Arc::new(Cache::new(database.clone(), inventories)?);
        let app = Arc::new(App {
            database,
            turns: Turns { questions: places(args, Kind::Questions)?, searches: places(args, Kind::Searches)? },
            inventory,
            bases,
            has_sessions: sessions.is_some(),
            uploads: uploads(args)?.map(Arc::new),
            exports: places(args, Kind::Exports)?,
            engines: engines(args),
            findings: findings.transpose()?,
        });
        // the first one stays, and there is one server
        let _ = THREADS.set(places(args, Kind::Parsing)?);
        if let Some(monitor) = monitor {
            watch(args, monitor, monitor::routes(app.clone(), cache.clone(), Arc::new(self::rules(args, own)?)))?;
        }
        let slow = Duration::from_millis(args.log_slow.into());
        let sessions = Arc::new(Sessions::new(sessions, cookie(&for_sessions)));
        let router = routes::routes(app, sessions, cache, rules, slow);
        let site = Site { router, base: args.base_path.clone() };
        listen::serve(listener, site, places(args, Kind::Connections)?, silence(args), end).await;
        Ok(())
    })
}

/// The name of the cookie for sessions in this database.
fn cookie(settings: &Settings) -> String {
    let words = ["host", "hostaddr", "port", "dbname"].map(|keyword| settings.get(keyword).unwrap_or_default());
    cookie_name(&words.join(" "))
}

/// What waits for a signal to end, from now on.
fn end() -> io::Result<impl Future<Output = ()>> {
    let (mut interrupt, mut terminate) = (signal(SignalKind::interrupt())?, signal(SignalKind::terminate())?);
    Ok(async move {
        tokio::select! {
            _ = interrupt.recv() => (),
            _ = terminate.recv() => (),
        }
    })
}

fn places(args: &Args, kind: Kind) -> Result<Arc<Places>> {
    args.places(kind).with_context(|| format!("no places: {kind:?}"))
}

/// Places for --metrics alone.
fn own(args: &Args, kind: Kind) -> Result<Arc<Places>> {
    args.size(kind).map(|size| Places::new(kind, size, &[])).with_context(|| format!("no places: {kind:?}"))
}

/// How long a connection may be silent.
fn silence(args: &Args) -> Duration {
    Duration::from_secs(args.silence.into())
}

/// Serves --metrics until the program ends, with places of its own: who takes all of the page's cannot hide that.
fn watch(args: &Args, listener: TcpListener, router: Router) -> Result<()> {
    println!("http://{}/metrics", listener.local_addr()?);
    let site = Site { router, base: Base::default() };
    tokio::spawn(listen::serve(listener, site, own(args, Kind::Connections)?, silence(args), pending()));
    Ok(())
}

/// Checks that visitors do not choose the games of the three paths of lichess.
///
/// # Errors
///
/// A source is named, and visitors can bring one of the same name.
fn sources(args: &Args) -> Result<()> {
    for (option, games) in [("masters", &args.masters), ("lichess", &args.lichess), ("player", &args.player)] {
        if let Some(Games::Source(file)) = games
            && args.upload.is_some()
            && file.parse::<i64>().is_err()
        {
            bail!(
                "--{option} source:{file}: with --upload visitors choose the names of files: name sources by their \
                 numbers, as in --{option} source:1"
            );
        }
    }
    Ok(())
}

/// What is known of the games of the page, and of those of the three paths of lichess.
fn inventories(args: &Args, database: &Database) -> (Arc<InventoryCache>, [Arc<InventoryCache>; 3]) {
    let of = |schema: &str, source: Option<&str>| {
        Arc::new(InventoryCache::new(database.clone(), schema, source, args.owner.clone()))
    };
    let inventory = of(&args.schema, None);
    let bases = [&args.masters, &args.lichess, &args.player].map(|games| match games {
        Some(Games::Source(file)) => of(&args.schema, Some(file)),
        Some(Games::Schema(schema)) if *schema != args.schema => of(schema, None),
        _ => inventory.clone(),
    });
    (inventory, bases)
}

/// The engine, if there is one.
fn engines(args: &Args) -> Option<Engines> {
    let (program, places) = args.engine.as_deref().zip(args.places(Kind::Engines))?;
    Some(Engines::new(program, places, args.engine_threads, args.engine_memory))
}

/// The sockets of the page and of --metrics.
async fn listeners(args: &Args) -> Result<(TcpListener, Option<TcpListener>)> {
    let page = TcpListener::bind(args.listen).await.with_context(|| format!("cannot listen on {}", args.listen))?;
    let Some(address) = args.metrics else { return Ok((page, None)) };
    let metrics = TcpListener::bind(address).await;
    Ok((page, Some(metrics.with_context(|| format!("cannot listen on {address} for --metrics"))?)))
}

/// The jobs of visitors who bring games in, if they may.
fn uploads(args: &Args) -> Result<Option<Uploads>> {
    if args.upload.is_none() {
        return Ok(None);
    }
    if let Err(error) = Spool::clear() {
        tracing::warn!("what earlier uploads have left stays: {error}");
    }
    let schema = Schema { owner: args.owner.clone(), ..Schema::new(&args.schema) };
    let loader = Loader::new(args.loader.as_deref(), writer(args), &schema, args.daily())?;
    let (arriving, open, loading) = (args.places(Kind::Arriving), args.places(Kind::Jobs), args.places(Kind::Loading));
    let (Some(arriving), Some(open), Some(loading)) = (arriving, open, loading) else { return Ok(None) };
    let (most, manages) = (args.upload_limit.into(), args.upload_manage);
    let (analyses, analyzing) = (args.places(Kind::Analyses), args.places(Kind::Analyzing));
    Ok(Some(Uploads {
        loader,
        most,
        manages,
        arriving,
        open,
        loading,
        analyses,
        analyzing,
        most_games: args.analyze_limit,
        pace: Default::default(),
        jobs: Default::default(),
    }))
}

/// The database as the role that may write games.
fn writer(args: &Args) -> Option<String> {
    args.upload.clone().flatten().or_else(|| args.sessions.clone()).or_else(|| args.database.clone())
}

/// How long startup waits for the database.
const PATIENCE: Duration = Duration::from_secs(5);

/// Reports what the database lacks. That is no error, because a load creates the extension, the schema and the tables.
///
/// # Errors
///
/// The server rejects these settings.
async fn look(
    database: &Database,
    sessions: Option<&Database>,
    inventory: &Arc<InventoryCache>,
    bases: &[Arc<InventoryCache>],
) -> Result<()> {
    database.check().await?;
    if let Some(sessions) = sessions {
        sessions.check().await.context("sessions")?;
    }
    tell_lack(inventory).await;
    for base in bases.iter().filter(|base| !Arc::ptr_eq(base, inventory)) {
        tell_lack(base).await;
    }
    Ok(())
}

/// Says what games lack.
async fn tell_lack(inventory: &InventoryCache) {
    let (error, hint) = match inventory.get().await {
        Ok(inventory) => {
            let is_empty = inventory.readable && inventory.games == 0;
            let error = is_empty.then_some("the database has no games yet").or(inventory.error());
            (error.map(str::to_owned), inventory.hint().map(str::to_owned))
        }
        Err(failure) => (Some(failure.error), failure.hint),
    };
    let said: Vec<String> = error.into_iter().chain(hint).collect();
    if !said.is_empty() {
        tracing::warn!("{}", said.join("; "));
    }
}

/// The hashes of the tokens in a file, which has one on each line that is not empty and no comment.
fn tokens(path: &Path) -> Result<Vec<[u8; 32]>> {
    let text = fs::read_to_string(path).with_context(|| format!("token file {}", path.display()))?;
    let mut tokens = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        // what RFC 6750 lets a client send
        if !line.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-._~+/=".contains(&byte)) {
            bail!("token file {}, line {}: a token has letters, digits and -._~+/= alone", path.display(), number + 1);
        }
        tokens.push(sha256(line.as_bytes()));
    }
    if tokens.is_empty() {
        bail!("token file {} has no token", path.display());
    }
    Ok(tokens)
}

fn rules(args: &Args, places: fn(&Args, Kind) -> Result<Arc<Places>>) -> Result<Guard> {
    let addresses: Vec<_> = [args.listen].iter().chain(&args.metrics).map(SocketAddr::ip).collect();
    let open = addresses.iter().find(|address| !address.is_loopback());
    let asks = args.password_file.is_some() || args.token.is_some();
    if let Some(address) = open.filter(|_| !args.public && !asks) {
        bail!(
            "{address} can be reached from other machines: --password-file FILE asks everybody for a password, \
             --token FILE for a token, --public serves anybody, without sessions"
        );
    }
    let password = match &args.password_file {
        None => None,
        Some(path) => {
            let text = fs::read_to_string(path).with_context(|| format!("password file {}", path.display()))?;
            match text.lines().next().map(str::trim_end).filter(|line| !line.is_empty()) {
                Some(line) => Some(sha256(line.as_bytes())),
                None => bail!("password file {} begins with an empty line", path.display()),
            }
        }
    };
    let mut hosts: Vec<String> = args.hosts.iter().map(|host| host.to_ascii_lowercase()).collect();
    hosts.extend(addresses.iter().filter(|address| !address.is_unspecified()).map(ToString::to_string));
    Ok(Guard {
        hosts,
        password,
        tokens: args.token.as_deref().map(tokens).transpose()?.unwrap_or_default(),
        proxies: args.trust_proxy.clone(),
        timeout: Duration::from_secs(u64::from(args.timeout) + 10),
        upload: args.upload.as_ref().map(|_| u64::from(args.upload_limit) << 20),
        rate: guard::rate(args.rate),
        requests: places(args, Kind::Requests)?,
        bodies: places(args, Kind::Bodies)?,
        answers: places(args, Kind::Answers)?,
    })
}
