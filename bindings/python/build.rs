//! Passes on what PyO3 knows of the interpreter, such as `Py_GIL_DISABLED`.

fn main() {
    pyo3_build_config::use_pyo3_cfgs();
}
