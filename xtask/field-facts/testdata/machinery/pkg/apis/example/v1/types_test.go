package v1

// Tested is in a test.
type Tested struct {
	Test string `json:"test"`
}
