package v1

// ZooApplyConfiguration is deeper in the module than API types are.
type ZooApplyConfiguration struct {
	Name *string `json:"name,omitempty"`
}
