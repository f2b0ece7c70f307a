package v1beta1

// Job is in a module without go.mod, whose groups are top folders.
type Job struct {
	Spec string `json:"spec,omitempty"`
}
