//! A hurdle stops writers in the middle of their work, so that a test can kill them there on a machine of any speed: the
//! INSERT with a chosen number waits until the test lets it go.

use crate::{Database, Running};

/// A trigger on some tables, which lets all INSERTs pass until [`Hurdle::stop_at`].
#[derive(Debug)]
pub struct Hurdle<'a> {
    database: &'a Database<'a>,
}

impl<'a> Hurdle<'a> {
    /// Adds a hurdle to the tables.
    #[track_caller]
    pub fn on(database: &'a Database<'_>, tables: &[&str]) -> Hurdle<'a> {
        database.sql(
            "CREATE TABLE public.hurdle (step bigint);
             CREATE SEQUENCE public.hurdle_step;
             CREATE FUNCTION public.hurdle() RETURNS trigger LANGUAGE plpgsql AS $$
               DECLARE mine bigint = nextval('public.hurdle_step');
               BEGIN
                 PERFORM pg_advisory_lock_shared('public.hurdle'::regclass::bigint);
                 WHILE EXISTS (SELECT FROM public.hurdle WHERE step <= mine) LOOP PERFORM pg_sleep(0.01); END LOOP;
                 PERFORM pg_advisory_unlock_shared('public.hurdle'::regclass::bigint);
                 RETURN NULL;
               END $$",
        );
        for table in tables {
            database.sql(&format!("CREATE TRIGGER hurdle BEFORE INSERT ON {table} EXECUTE FUNCTION public.hurdle()"));
        }
        Hurdle { database }
    }

    /// The INSERT with this number into any of the tables, and later ones, wait from now on.
    #[track_caller]
    pub fn stop_at(&self, number: u32) {
        self.database.sql("SELECT setval('public.hurdle_step', 1, false)");
        self.database.sql(&format!("INSERT INTO public.hurdle VALUES ({number})"));
    }

    /// Waits until an INSERT waits at the hurdle, or the program has ended.
    #[track_caller]
    pub fn wait(&self, program: &mut Running) {
        self.database.wait_for_activity("an INSERT at the hurdle", "wait_event = 'PgSleep'", Some(program));
    }

    /// Lets all pass again, and waits until they have: the session of a killed program would otherwise be taken for one of
    /// the next program.
    #[track_caller]
    pub fn open(&self) {
        self.database.sql("DELETE FROM public.hurdle");
        self.database.sql("SELECT pg_advisory_xact_lock('public.hurdle'::regclass::bigint)");
    }
}
