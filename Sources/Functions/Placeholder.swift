// Functions
