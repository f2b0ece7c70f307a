//go:build again

package v1

// Traits says the same as in types.go, in other words.
type Traits struct {
	Legs int `json:"legs" other:"tag"`
}
