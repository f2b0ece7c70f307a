module hubgen.dev/field-facts

go 1.21
