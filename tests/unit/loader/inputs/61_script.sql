-- dump
INSERT INTO pets (name, category_id) VALUES
('Luna', 3);
