-- Devices as anonymous accounts. The server knows the table's shape, as it signs them in.

SELECT swiftlet_create_devices();
