//! PostgreSQL's function call interface, version 1.
//!
//! [`sql_fn!`] turns a Rust function over a [`Call`] into a C function that `sql/` declares; panics become ERRORs.
//! [`Call`] gives access to the arguments, [`ToDatum`] converts the result.
//!
//! Each function states its argument and result types by their names in `pg_type`. They must equal the declaration in
//! `sql/`, otherwise the methods of [`Call`] are unsound. A test compares every function with `pg_proc`, and the
//! tests' build compares every access to an argument with its stated type.

use std::ffi::CStr;

use pgrx::memcxt::PgMemoryContexts;
use pgrx::pg_sys::{self, Datum};

use crate::server::datum::{TextArray, Varlena, varlena_from};
use crate::server::encoding::server_encoded;
use crate::server::error::check_size;

/// The stated signature of a function.
#[cfg_attr(not(feature = "pg_test"), expect(dead_code, reason = "the test compares all of it"))]
pub struct Signature {
    /// The C symbol, `prosrc` in `pg_proc`.
    pub name: &'static str,
    /// The types of the arguments, by `typname`.
    pub arguments: &'static [&'static str],
    /// The type of the result, by `typname`; `setof` precedes that of sets.
    pub result: &'static str,
}

/// All functions of the library, for the test that compares them with `pg_proc`.
#[cfg(feature = "pg_test")]
#[linkme::distributed_slice]
pub static SIGNATURES: [Signature];

/// Declares C functions: `sql_fn!(name(type, …) -> type, |call| expression)`.
macro_rules! sql_fn {
    ($name:ident($($argument:ident),*) -> $($result:ident)+, |$call:ident| $body:expr) => {
        const _: () = {
            const SIGNATURE: $crate::server::fmgr::Signature = $crate::server::fmgr::Signature {
                name: stringify!($name),
                arguments: &[$(stringify!($argument)),*],
                result: stringify!($($result)+),
            };

            #[cfg(feature = "pg_test")]
            #[linkme::distributed_slice($crate::server::fmgr::SIGNATURES)]
            static LISTED: $crate::server::fmgr::Signature = SIGNATURE;

            #[unsafe(export_name = concat!("pg_finfo_", stringify!($name)))]
            extern "C" fn finfo() -> &'static pgrx::pg_sys::Pg_finfo_record {
                const V1: pgrx::pg_sys::Pg_finfo_record = pgrx::pg_sys::Pg_finfo_record { api_version: 1 };
                &V1
            }

            #[unsafe(export_name = stringify!($name))]
            unsafe extern "C-unwind" fn function(fcinfo: pgrx::pg_sys::FunctionCallInfo) -> pgrx::pg_sys::Datum {
                let run = move || {
                    // SAFETY: PostgreSQL passes a valid fcinfo, for a declaration with this signature.
                    let $call = unsafe { $crate::server::fmgr::Call::new(fcinfo, &SIGNATURE) };
                    let result = $body;
                    $crate::server::fmgr::ToDatum::to_datum(result, &$call)
                };
                // SAFETY: called from C; the guard keeps panics out of C frames.
                unsafe { pgrx::pg_sys::panic::pgrx_extern_c_guard(run) }
            }
        };
    };
}

/// A call of a function from SQL.
pub struct Call {
    fcinfo: pg_sys::FunctionCallInfo,
    #[cfg(feature = "pg_test")]
    signature: &'static Signature,
}

impl Call {
    /// Wraps the argument of a C function.
    ///
    /// # Safety
    ///
    /// `fcinfo` must come from PostgreSQL, for a function declared with this signature.
    #[inline(always)]
    pub unsafe fn new(fcinfo: pg_sys::FunctionCallInfo, _signature: &'static Signature) -> Call {
        Call {
            fcinfo,
            #[cfg(feature = "pg_test")]
            signature: _signature,
        }
    }

    /// In the tests' build, asserts that `fits` holds for the argument's type.
    #[inline(always)]
    fn check(&self, _n: usize, _fits: impl Fn(&str) -> bool) {
        #[cfg(feature = "pg_test")]
        assert!(
            self.signature.arguments.get(_n).is_some_and(|argument| _fits(argument)),
            "{} states another type for its argument {_n}",
            self.signature.name
        );
    }

    /// An argument as a datum.
    #[inline(always)]
    pub fn datum(&self, n: usize) -> Datum {
        // SAFETY: see Call::new; `n` is below the declared number of arguments.
        unsafe { (*(*self.fcinfo).args.as_ptr().add(n)).value }
    }

    /// The number of arguments, for functions that an earlier version declares with fewer.
    pub fn arguments(&self) -> usize {
        // SAFETY: see Call::new.
        unsafe { (*self.fcinfo).nargs as usize }
    }

    /// Whether an argument is NULL, for functions that are not strict.
    pub fn is_null(&self, n: usize) -> bool {
        // SAFETY: see Call::new; `n` is below the declared number of arguments.
        unsafe { (*(*self.fcinfo).args.as_ptr().add(n)).isnull }
    }

    /// An argument of type integer.
    #[inline(always)]
    pub fn int(&self, n: usize) -> i32 {
        self.check(n, |argument| argument == "int4");
        self.datum(n).value() as i32
    }

    /// An argument of type boolean.
    pub fn bool(&self, n: usize) -> bool {
        self.check(n, |argument| argument == "bool");
        self.datum(n).value() & 0xff != 0
    }

    /// An argument of type bigint.
    #[inline(always)]
    pub fn bigint(&self, n: usize) -> i64 {
        self.check(n, |argument| argument == "int8");
        self.datum(n).value() as i64
    }

    /// The bytes of an argument of a type of variable length.
    #[inline(always)]
    pub fn varlena(&self, n: usize) -> Varlena<'_> {
        const PLAIN: [&str; 10] =
            ["int2", "int4", "int8", "oid", "regclass", "bool", "char", "float8", "cstring", "internal"];
        self.check(n, |argument| !PLAIN.contains(&argument));
        // SAFETY: see Call::new; the argument lives as long as the call.
        unsafe { Varlena::new(self.datum(n)) }
    }

    /// An argument of type cstring.
    pub fn cstring(&self, n: usize) -> &CStr {
        self.check(n, |argument| argument == "cstring");
        // SAFETY: see Call::new; the argument lives as long as the call.
        unsafe { CStr::from_ptr(self.datum(n).cast_mut_ptr()) }
    }

    /// An argument of type internal, as a pointer to a type that the caller knows.
    #[inline(always)]
    pub fn internal<T>(&self, n: usize) -> *mut T {
        self.check(n, |argument| argument == "internal");
        self.datum(n).cast_mut_ptr()
    }

    /// The options of the operator class of the index, for support functions of classes with options.
    pub fn class_options<T>(&self) -> Option<&T> {
        // SAFETY: see Call::new. The options were laid out by the class's own function and live as long as the index
        // is open.
        unsafe {
            let flinfo = (*self.fcinfo).flinfo;
            if flinfo.is_null() || !pg_sys::has_fn_opclass_options(flinfo) {
                return None;
            }
            pg_sys::get_fn_opclass_options(flinfo).cast::<T>().as_ref()
        }
    }

    /// The raw argument.
    pub fn fcinfo(&self) -> pg_sys::FunctionCallInfo {
        self.fcinfo
    }

    /// The type of the elements of the result, which is an array.
    pub fn element_type(&self) -> pg_sys::Oid {
        // SAFETY: the function is called through its entry in the catalog.
        unsafe { pg_sys::get_element_type(pg_sys::get_func_rettype((*(*self.fcinfo).flinfo).fn_oid)) }
    }

    /// A value made from the bytes of an argument: once per expression, since the argument usually is the same for
    /// all rows, and again when the bytes change. A function can have only one such value.
    #[inline(always)]
    pub fn prepared<T>(&self, bytes: &[u8], make: impl FnOnce(&[u8]) -> T) -> &T {
        // SAFETY: fn_extra belongs to this function alone. It is NULL or the value made below, which lives as long as
        // the expression's memory context.
        unsafe {
            let flinfo = (*self.fcinfo).flinfo;
            if flinfo.is_null() {
                return &*PgMemoryContexts::CurrentMemoryContext.leak_and_drop_on_delete(make(bytes));
            }
            let mut kept = (*flinfo).fn_extra.cast::<(Vec<u8>, T)>();
            if kept.is_null() {
                let made = (bytes.to_vec(), make(bytes));
                kept = PgMemoryContexts::For((*flinfo).fn_mcxt).leak_and_drop_on_delete(made);
                (*flinfo).fn_extra = kept.cast();
            } else if (*kept).0 != bytes {
                *kept = (bytes.to_vec(), make(bytes));
            }
            &(*kept).1
        }
    }

    /// Like [`Call::prepared`], for a single argument. Constants, which may be long, are neither copied nor compared.
    /// Parameters are compared, because PL/pgSQL evaluates one expression with many values.
    pub fn prepared_argument<T>(&self, n: usize, make: impl FnOnce(&[u8]) -> T) -> &T {
        if !self.is_constant(n) {
            return self.prepared(&self.varlena(n), make);
        }
        // SAFETY: as for `prepared`; whether an argument is constant does not change between calls.
        unsafe {
            let flinfo = (*self.fcinfo).flinfo;
            let mut kept = (*flinfo).fn_extra.cast::<(Vec<u8>, T)>();
            if kept.is_null() {
                let made = (Vec::new(), make(&self.varlena(n)));
                kept = PgMemoryContexts::For((*flinfo).fn_mcxt).leak_and_drop_on_delete(made);
                (*flinfo).fn_extra = kept.cast();
            }
            &(*kept).1
        }
    }

    /// Whether an argument is a constant in the expression of the call.
    fn is_constant(&self, n: usize) -> bool {
        // SAFETY: if the expression is known, it is a node, and its tag identifies it.
        unsafe {
            let Some(flinfo) = (*self.fcinfo).flinfo.as_ref() else { return false };
            let Some(expression) = flinfo.fn_expr.cast::<pg_sys::Node>().as_ref() else { return false };
            let args = match expression.type_ {
                pg_sys::NodeTag::T_FuncExpr => (*flinfo.fn_expr.cast::<pg_sys::FuncExpr>()).args,
                pg_sys::NodeTag::T_OpExpr => (*flinfo.fn_expr.cast::<pg_sys::OpExpr>()).args,
                _ => return false,
            };
            let args = pgrx::PgList::<pg_sys::Node>::from_pg(args);
            args.get_ptr(n).is_some_and(|arg| (*arg).type_ == pg_sys::NodeTag::T_Const)
        }
    }

    fn return_null(&self) -> Datum {
        // SAFETY: see Call::new.
        unsafe { (*self.fcinfo).isnull = true };
        Datum::null()
    }
}

/// A result of a function from SQL.
pub trait ToDatum {
    /// Converts to a datum. May mark the result of `call` as NULL.
    fn to_datum(self, call: &Call) -> Datum;
}

impl ToDatum for Datum {
    #[inline(always)]
    fn to_datum(self, _: &Call) -> Datum {
        self
    }
}

impl ToDatum for () {
    fn to_datum(self, _: &Call) -> Datum {
        Datum::null()
    }
}

macro_rules! by_value {
    ($($type:ty),*) => {$(
        impl ToDatum for $type {
            #[inline(always)]
            fn to_datum(self, _: &Call) -> Datum {
                Datum::from(self)
            }
        }
    )*};
}
by_value!(bool, i8, i32, i64);

impl ToDatum for f64 {
    fn to_datum(self, _: &Call) -> Datum {
        Datum::from(self.to_bits())
    }
}

impl<T: ToDatum> ToDatum for Option<T> {
    fn to_datum(self, call: &Call) -> Datum {
        match self {
            Some(value) => value.to_datum(call),
            None => call.return_null(),
        }
    }
}

/// The bytes of a value of variable length: bytea, or one of our types.
pub struct Bytes<T: AsRef<[u8]>>(pub T);

impl<T: AsRef<[u8]>> ToDatum for Bytes<T> {
    fn to_datum(self, _: &Call) -> Datum {
        varlena_from(self.0.as_ref())
    }
}

/// ASCII text, which is the same in every server encoding, as type text.
pub struct Text<T: AsRef<str>>(pub T);

impl<T: AsRef<str>> ToDatum for Text<T> {
    fn to_datum(self, _: &Call) -> Datum {
        varlena_from(self.0.as_ref().as_bytes())
    }
}

/// Text in the server's encoding, as type text.
pub struct ServerText(pub String);

impl ToDatum for ServerText {
    fn to_datum(self, _: &Call) -> Datum {
        varlena_from(&server_encoded(&self.0))
    }
}

impl ToDatum for TextArray {
    fn to_datum(self, _: &Call) -> Datum {
        self.into_datum()
    }
}

/// ASCII text as type cstring.
pub struct CString(pub String);

impl ToDatum for CString {
    fn to_datum(self, _: &Call) -> Datum {
        let mut bytes = self.0.into_bytes();
        bytes.push(0);
        check_size(bytes.len());
        // SAFETY: palloc returns room for all bytes or raises an ERROR.
        unsafe {
            let copy = pg_sys::palloc(bytes.len()).cast::<u8>();
            copy.copy_from_nonoverlapping(bytes.as_ptr(), bytes.len());
            Datum::from(copy)
        }
    }
}
