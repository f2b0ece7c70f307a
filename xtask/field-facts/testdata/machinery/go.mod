// This module is read by the tests, never built.

module "example.org/some-machinery" // quoted, as go.mod allows

go 1.21
