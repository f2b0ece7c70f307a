module hubgen.invalid/answer

go 1.24
