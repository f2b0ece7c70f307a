mod parts;
mod v1;
mod v1beta1;
#[cfg(feature = "old")]
mod old;
#[cfg(test)]
mod tests;
