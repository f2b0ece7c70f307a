package v1

// Helper is not in a file of types.
type Helper struct {
	Help string `json:"help"`
}
