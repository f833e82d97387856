//! Results as an index has them: a number for each text.
//!
//! A result is a text in the table and a number in the index, `CASE WHEN result = '1/2-1/2' THEN 0 …`. The expression of the
//! index tells which text each number stands for, whatever the function that it came from is called. Takes an index as the
//! planner has it; returns the attribute, the text behind it, and the codes of texts.

use pgrx::PgList;
use pgrx::pg_sys::{self, Datum, IndexOptInfo, Node, NodeTag, Oid};

use crate::access_method::sums::node::plan::{RESULTS, ResultColumn};
use crate::clauses::expressions::{Constant, constant, is_deterministic};
use crate::server::datum::{Varlena, each_element, varlena_from};

const TEXT_EQUAL: u32 = 98;
const INT4_TO_INT2: u32 = 314;

/// The results of an index.
pub struct Results {
    /// The attribute, counted from 0.
    column: usize,
    /// The text that the numbers stand for.
    pub text: *mut Node,
    /// The texts that are told apart, with their numbers; `None` for all others but NULL.
    arms: Vec<(Option<Vec<u8>>, i32)>,
}

impl Results {
    /// The first attribute that has the form `CASE WHEN text = 'constant' THEN number …`, without a number for NULL.
    ///
    /// # Safety
    ///
    /// The index must be the planner's.
    pub unsafe fn of_index(info: &IndexOptInfo) -> Option<Results> {
        // SAFETY: the planner's own structures.
        unsafe {
            let entries = PgList::<pg_sys::TargetEntry>::from_pg(info.indextlist);
            (1..info.nkeycolumns as usize).find_map(|column| {
                let (text, arms) = arms_of((*entries.get_ptr(column)?).expr.cast())?;
                Some(Results { column: column - 1, text, arms })
            })
        }
    }

    /// The number that stands for this text alone.
    fn code(&self, text: &[u8]) -> Option<i32> {
        let (_, code) = self.arms.iter().find(|(known, _)| known.as_deref() == Some(text))?;
        (self.arms.iter().filter(|(_, other)| other == code).count() == 1).then_some(*code)
    }

    /// The attribute with its codes.
    pub fn column(&self) -> ResultColumn {
        ResultColumn { column: self.column, codes: RESULTS.map(|text| self.code(text.as_bytes())) }
    }

    /// The codes that a condition on the text holds for: `=`, `<>`, `IN` and `NOT IN` with constants, and `IS NOT NULL`. `None`
    /// for another clause, or if a code stands for other texts, too.
    ///
    /// # Safety
    ///
    /// The clause must be the planner's.
    pub unsafe fn codes_of(&self, clause: *mut Node) -> Option<Vec<i32>> {
        // SAFETY: the tags say what the nodes are.
        unsafe {
            let (text, texts, is_any) = match (*clause).type_ {
                NodeTag::T_ScalarArrayOpExpr => {
                    let any = &*clause.cast::<pg_sys::ScalarArrayOpExpr>();
                    let comparison = if any.useOr { pg_sys::F_TEXTEQ } else { pg_sys::F_TEXTNE };
                    if !is_comparison(comparison, any.opno, any.inputcollid) {
                        return None;
                    }
                    let args = PgList::<Node>::from_pg(any.args);
                    let Constant::Value(array) = constant(args.get_ptr(1)?) else { return None };
                    let (mut texts, mut has_null) = (Vec::<Vec<u8>>::new(), false);
                    each_element(&Varlena::new(array), |element| {
                        has_null |= element.is_none();
                        texts.extend(element.map(<[u8]>::to_vec));
                    });
                    // Nothing is known to differ from NULL.
                    if has_null && !any.useOr {
                        return Some(Vec::new());
                    }
                    (args.get_ptr(0)?, texts, any.useOr)
                }
                NodeTag::T_NullTest => {
                    let test = &*clause.cast::<pg_sys::NullTest>();
                    let is_not_null = test.nulltesttype == pg_sys::NullTestType::IS_NOT_NULL;
                    is_not_null.then_some((test.arg.cast(), Vec::new(), false))?
                }
                _ => {
                    let equal = comparison(clause, pg_sys::F_TEXTEQ).map(|sides| (sides, true));
                    let ((text, value), is_any) =
                        equal.or_else(|| Some((comparison(clause, pg_sys::F_TEXTNE)?, false)))?;
                    (text, vec![value], is_any)
                }
            };
            let is_it = pg_sys::equal(text.cast(), self.text.cast());
            let mut codes = is_it.then(|| texts.iter().map(|text| self.code(text)).collect::<Option<Vec<i32>>>())??;
            if !is_any {
                // All other texts must have a code.
                let has_all = self.arms.iter().any(|(text, _)| text.is_none());
                let others = self.arms.iter().map(|(_, code)| *code).filter(|code| !codes.contains(code));
                codes = has_all.then(|| others.collect())?;
            }
            codes.sort_unstable();
            codes.dedup();
            Some(codes)
        }
    }

    /// Whether each result of the table is NULL or one of [`RESULTS`] that has a code of its own, as far as its CHECK
    /// constraints tell. Only then do the numbers tell the texts: `score` also reads ' 1-0 ', for example.
    ///
    /// # Safety
    ///
    /// The constraints must be expressions of the planner.
    pub unsafe fn are_all(&self, checks: *mut pg_sys::List) -> bool {
        let texts: Vec<&[u8]> = self.arms.iter().filter_map(|(text, _)| text.as_deref()).collect();
        let is_told = |text: &&[u8]| RESULTS.iter().any(|known| known.as_bytes() == *text) && self.code(text).is_some();
        if !texts.iter().all(is_told) {
            return false;
        }
        // SAFETY: the caller's promise; makes expressions in the planner's memory.
        unsafe {
            let mut elements: Vec<Datum> = texts.iter().map(|text| varlena_from(text)).collect();
            let (len, align) = (elements.len() as i32, pg_sys::TYPALIGN_INT as std::ffi::c_char);
            let array = pg_sys::construct_array(elements.as_mut_ptr(), len, pg_sys::TEXTOID, -1, false, align);
            let collation = pg_sys::DEFAULT_COLLATION_OID;
            let mut args = PgList::<Node>::new();
            args.push(self.text);
            let of_texts = pg_sys::makeConst(pg_sys::TEXTARRAYOID, -1, collation, -1, Datum::from(array), false, false);
            args.push(of_texts.cast());
            let any = pg_sys::palloc0(size_of::<pg_sys::ScalarArrayOpExpr>()).cast::<pg_sys::ScalarArrayOpExpr>();
            (*any).xpr.type_ = NodeTag::T_ScalarArrayOpExpr;
            (*any).opno = TEXT_EQUAL.into();
            (*any).useOr = true;
            (*any).inputcollid = pg_sys::exprCollation(self.text);
            (*any).args = args.into_pg();
            let mut wanted = PgList::<Node>::new();
            wanted.push(any.cast());
            pg_sys::predicate_implied_by(wanted.into_pg(), checks, true)
        }
    }
}

/// A text, and a constant that stands for each of its values, or `None` for all values that no other constant names.
type Arms = (*mut Node, Vec<(Option<Vec<u8>>, i32)>);

/// Reads `CASE text WHEN 'constant' THEN number … END`, or `CASE WHEN text = 'constant' THEN number … WHEN text IS NOT NULL
/// THEN number END`, perhaps cast to smallint.
unsafe fn arms_of(mut expression: *mut Node) -> Option<Arms> {
    // SAFETY: the tags say what the nodes are.
    unsafe {
        if (*expression).type_ == NodeTag::T_FuncExpr {
            let cast = &*expression.cast::<pg_sys::FuncExpr>();
            if cast.funcid != Oid::from(INT4_TO_INT2) {
                return None;
            }
            expression = PgList::<Node>::from_pg(cast.args).get_ptr(0)?;
        }
        let is_integer = matches!(pg_sys::exprType(expression), pg_sys::INT2OID | pg_sys::INT4OID);
        if (*expression).type_ != NodeTag::T_CaseExpr || !is_integer {
            return None;
        }
        let case = &*expression.cast::<pg_sys::CaseExpr>();
        if !matches!(constant(case.defresult.cast()), Constant::Null) {
            return None;
        }
        let (mut text, mut arms) = (std::ptr::null_mut::<Node>(), Vec::<(Option<Vec<u8>>, i32)>::new());
        for when in PgList::<pg_sys::CaseWhen>::from_pg(case.args).iter_ptr() {
            let Constant::Value(code) = constant((*when).result.cast()) else { return None };
            let condition: *mut Node = (*when).expr.cast();
            let (tested, known) = match (*condition).type_ {
                NodeTag::T_NullTest => {
                    let test = &*condition.cast::<pg_sys::NullTest>();
                    let is_not_null = test.nulltesttype == pg_sys::NullTestType::IS_NOT_NULL;
                    is_not_null.then_some((test.arg.cast::<Node>(), None))?
                }
                _ => {
                    let (tested, value) = comparison(condition, pg_sys::F_TEXTEQ)?;
                    let is_arg = (*tested).type_ == NodeTag::T_CaseTestExpr;
                    (if is_arg { case.arg.cast() } else { tested }, Some(value))
                }
            };
            if text.is_null() {
                text = tested;
            }
            if !pg_sys::equal(text.cast(), tested.cast()) {
                return None;
            }
            // An arm behind one for the same texts is never reached.
            if !arms.iter().any(|(before, _)| before.is_none() || *before == known) {
                arms.push((known, code.value() as i32));
            }
        }
        (!text.is_null()).then_some((text, arms))
    }
}

/// Whether an operator calls this function of texts, in a collation in which equal texts have the same bytes.
unsafe fn is_comparison(function: u32, operator: Oid, collation: Oid) -> bool {
    // SAFETY: a look-up in the system catalogs.
    unsafe { pg_sys::get_opcode(operator) == Oid::from(function) && is_deterministic(collation) }
}

/// The two sides of `text = 'constant'`, or of another comparison.
unsafe fn comparison(clause: *mut Node, function: u32) -> Option<(*mut Node, Vec<u8>)> {
    // SAFETY: the tags say what the nodes are.
    unsafe {
        if (*clause).type_ != NodeTag::T_OpExpr {
            return None;
        }
        let operator = &*clause.cast::<pg_sys::OpExpr>();
        if !is_comparison(function, operator.opno, operator.inputcollid) {
            return None;
        }
        let args = PgList::<Node>::from_pg(operator.args);
        let (left, right) = (args.get_ptr(0)?, args.get_ptr(1)?);
        let (text, value) = if (*right).type_ == NodeTag::T_Const { (left, right) } else { (right, left) };
        let Constant::Value(value) = constant(value) else { return None };
        Some((text, Varlena::new(value).to_vec()))
    }
}
